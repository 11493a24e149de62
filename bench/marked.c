// SPDX-License-Identifier: GPL-2.0-only
/*
 * marked FILE COMMAND... - run a command whose standard input is FILE, with
 * POSIX_FADV_NOREUSE: the advice for a program that does not know of it.
 */
#include <err.h>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	int fd;

	if (argc < 3)
		errx(2, "usage: marked FILE COMMAND...");
	fd = open(argv[1], O_RDONLY);
	if (fd < 0)
		err(2, "%s", argv[1]);
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_NOREUSE))
		errx(2, "%s: no POSIX_FADV_NOREUSE", argv[1]);
	if (dup2(fd, 0) < 0)
		err(2, "dup2");
	execvp(argv[2], argv + 2);
	err(2, "%s", argv[2]);
}
