// SPDX-License-Identifier: GPL-2.0-only
/*
 * marked COMMAND... - run a command that does not know of POSIX_FADV_NOREUSE with
 * it: for its standard input, and, by this same source as a preload (-DPRELOAD),
 * for each file that it opens to read through fopen(3).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef PRELOAD
FILE *fopen(const char *name, const char *mode)
{
	FILE *(*next)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
	FILE *f = next(name, mode);

	if (f && *mode == 'r')
		posix_fadvise(fileno(f), 0, 0, POSIX_FADV_NOREUSE);
	return f;
}
#else
int main(int argc, char *argv[])
{
	if (argc < 2)
		errx(2, "usage: marked COMMAND...");
	/* A terminal or a pipe has no pages to mark */
	posix_fadvise(0, 0, 0, POSIX_FADV_NOREUSE);
	if (setenv("LD_PRELOAD", "/lab/marked.so", 1))
		err(2, "setenv");
	execvp(argv[1], argv + 1);
	err(2, "%s", argv[1]);
}
#endif
