// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start copies of a program, each once, cold. A program is a file of /lab/programs,
 * or a directory there with what belongs to it, in which it is called main.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reader.h"

static long inside, outside;
/* of a program with a payload: where its last page ends */
static long program_end;

static void shell(const char *format, ...)
{
	va_list args;
	char *line;

	va_start(args, format);
	if (vasprintf(&line, format, args) < 0 || system(line))
		errx(2, "failed: %s", line);
	va_end(args);
	free(line);
}

static int count_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct part head = { 0, st->st_size }, tail = { 0 };
	int fd;

	(void)ftw;
	if (type != FTW_F || !st->st_size)
		return 0;
	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(2, "%s", path);
	if (program_end) {
		head.len = program_end;
		tail.start = program_end;
		tail.len = st->st_size - program_end;
		outside += cached_pages(fd, tail);
	}
	inside += cached_pages(fd, head);
	close(fd);
	return 0;
}

static void count_all(const char *dir)
{
	if (nftw(dir, count_file, 16, FTW_PHYS))
		err(2, "%s", dir);
}

/* A payload follows the program in its file, as an AppImage's does. */
static void add_payload(const char *path)
{
	static char zeros[MiB];
	int fd = open(path, O_WRONLY | O_APPEND);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err(2, "%s", path);
	program_end = (st.st_size + page_size - 1) & -page_size;
	for (long done = 0; done < opt.payload; done += sizeof(zeros))
		if (write(fd, zeros, sizeof(zeros)) != sizeof(zeros))
			err(2, "write %s", path);
	close(fd);
}

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

/* What a command needs that is not one of ours; it is for the caller to drop caches */
void command(void)
{
	struct counts before = counts_before(RUSAGE_CHILDREN), after;

	run(opt.command);
	after = counts_after(RUSAGE_CHILDREN);
	print_counts(&before, &after);
}

void start(void)
{
	struct counts before, after;
	char **paths = calloc(opt.count, sizeof(*paths));
	char *dir = name_in_dir("starts");
	struct stat st;

	if (!paths)
		err(2, "calloc");
	shell("rm -rf %s && mkdir %s && for n in $(seq 0 %ld); do cp -a /lab/programs/%s %s/$n; done",
		dir, dir, opt.count - 1, opt.program, dir);
	for (long i = 0; i < opt.count; i++) {
		if (asprintf(&paths[i], "%s/%ld", dir, i) < 0 || stat(paths[i], &st))
			err(2, "%s", opt.program);
		if (S_ISDIR(st.st_mode) && asprintf(&paths[i], "%s/%ld/main", dir, i) < 0)
			err(2, "asprintf");
		if (opt.payload)
			add_payload(paths[i]);
	}
	shell("sync; echo 3 >/proc/sys/vm/drop_caches");
	count_all(dir);
	if (inside + outside)
		errx(2, "%s: %ld pages stay cached, this would be no cold run", dir, inside + outside);

	for (long i = 0; opt.warm && i < opt.count; i++)
		run((char *[]){ paths[i], NULL });

	before = counts_before(RUSAGE_CHILDREN);
	for (long i = 0; i < opt.count; i++)
		run((char *[]){ paths[i], NULL });
	after = counts_after(RUSAGE_CHILDREN);

	count_all(dir);
	printf("inside=%ld outside=%ld ", inside, outside);
	print_counts(&before, &after);
}
