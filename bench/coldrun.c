// SPDX-License-Identifier: GPL-2.0-only
/*
 * coldrun - run programs and count what that cost: faults of the children by
 * getrusage(2), reads and bytes by the block device's own statistics, time by
 * CLOCK_MONOTONIC. One line of key=value pairs.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "iocount.h"

static const char usage_text[] =
"usage: coldrun DIR COMMAND [ARGUMENT]...\n"
"       coldrun -e DIR PROGRAM...\n"
"  DIR   what is read is counted at the device of this directory\n"
"  -e    each of them is a program, to be run once, without arguments\n"
"What they print is thrown away; one that fails ends it all.\n";

static void run(char *const argv[])
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
			err(126, "/dev/null");
		execvp(argv[0], argv);
		err(127, "%s", argv[0]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		err(2, "%s", argv[0]);
	if (status)
		errx(1, "%s: status %#x", argv[0], status);
}

int main(int argc, char *argv[])
{
	bool each = argc > 1 && !strcmp(argv[1], "-e");
	struct rusage r0, r1;
	struct timespec t0, t1;
	struct io_count c0, c1;
	const char *dir;
	int runs = 1;

	argv += 1 + each;
	argc -= 1 + each;
	if (argc < 2) {
		fputs(usage_text, stderr);
		return 2;
	}
	dir = argv[0];

	c0 = io_count(dir);
	getrusage(RUSAGE_CHILDREN, &r0);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	if (!each)
		run(argv + 1);
	else
		for (runs = 0; runs < argc - 1; runs++)
			run((char *[]){ argv[runs + 1], NULL });
	clock_gettime(CLOCK_MONOTONIC, &t1);
	getrusage(RUSAGE_CHILDREN, &r1);
	c1 = io_count_idle(dir);

	printf("runs=%d majflt=%ld minflt=%ld reads=%llu kib=%llu usec=%lld\n", runs,
	       r1.ru_majflt - r0.ru_majflt, r1.ru_minflt - r0.ru_minflt,
	       c1.reads - c0.reads, (c1.sectors - c0.sectors) / 2,
	       (t1.tv_sec - t0.tv_sec) * 1000000LL + (t1.tv_nsec - t0.tv_nsec) / 1000);
	return 0;
}
