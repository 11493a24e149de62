// SPDX-License-Identifier: GPL-2.0-only
/*
 * hotpath - what an operation on cached pages costs, with many threads on one
 * descriptor. One line of key=value pairs; the time is that of all operations
 * together, by CLOCK_MONOTONIC.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SIZE		(16L << 20)
#define MAX_THREADS	64

static const char usage_text[] =
"usage: hotpath FILE pread|fault THREADS [noreuse]\n"
"  pread   each thread reads 16 MiB by pages, four times\n"
"  fault   each thread maps 16 MiB and touches each page, four times\n";

static int fd;
static bool fault;
static long page_size;

static void *run(void *arg)
{
	char *map = NULL, *buf = malloc(page_size);

	if (!buf)
		err(2, "malloc");
	for (int turn = 0; turn < 4; turn++) {
		if (fault) {
			map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
			if (map == MAP_FAILED)
				err(2, "mmap");
		}
		for (long off = 0; off < SIZE; off += page_size)
			if (fault)
				(void)*(volatile char *)(map + off);
			else if (pread(fd, buf, page_size, off) != page_size)
				err(2, "pread");
		if (fault)
			munmap(map, SIZE);
	}
	free(buf);
	return arg;
}

int main(int argc, char *argv[])
{
	pthread_t threads[MAX_THREADS];
	struct timespec t0, t1;
	static char buf[1 << 20];
	int nr;

	page_size = sysconf(_SC_PAGESIZE);
	nr = argc > 3 ? atoi(argv[3]) : 0;
	if (argc < 4 || argc > 5 || nr < 1 || nr > MAX_THREADS ||
	    (strcmp(argv[2], "pread") && strcmp(argv[2], "fault")) ||
	    (argc == 5 && strcmp(argv[4], "noreuse"))) {
		fputs(usage_text, stderr);
		return 2;
	}
	fault = !strcmp(argv[2], "fault");

	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		err(2, "%s", argv[1]);
	for (long off = 0; off < SIZE; off += sizeof(buf))
		if (pwrite(fd, buf, sizeof(buf), off) != sizeof(buf))
			err(2, "write %s", argv[1]);
	if (fsync(fd))
		err(2, "fsync %s", argv[1]);
	if (argc == 5 && posix_fadvise(fd, 0, 0, POSIX_FADV_NOREUSE))
		errx(2, "%s: no POSIX_FADV_NOREUSE", argv[1]);

	run(NULL);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	for (int i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			errx(2, "cannot start thread %d", i);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &t1);

	printf("hotpath=%s threads=%d advice=%s usec=%lld\n", argv[2], nr,
	       argc == 5 ? argv[4] : "none",
	       (t1.tv_sec - t0.tv_sec) * 1000000LL + (t1.tv_nsec - t0.tv_nsec) / 1000);
	return 0;
}
