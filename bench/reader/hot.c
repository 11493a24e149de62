// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an operation costs on pages that are cached: by read(2) of a page each, or
 * by a fault each, of threads that share a descriptor.
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "reader.h"

static int fd;

static void *turns(void *count)
{
	char *map = NULL, *buf = malloc(page_size);

	if (!buf)
		err(2, "malloc");
	for (long turn = 0; turn < *(long *)count; turn++) {
		if (opt.method == MMAP)
			map = map_whole(fd, opt.size);
		for (long off = 0; off < opt.size; off += page_size)
			if (map)
				(void)*(volatile char *)(map + off);
			else if (pread(fd, buf, page_size, off) != page_size)
				err(2, "pread");
		if (map)
			munmap(map, opt.size);
	}
	free(buf);
	return NULL;
}

void hot(void)
{
	struct counts before, after;
	pthread_t id[MAX_THREADS];
	long once = 1;

	fd = open_cold("file", opt.size);
	if (opt.fadvise == NOREUSE && posix_fadvise(fd, 0, 0, POSIX_FADV_NOREUSE))
		errx(2, "no POSIX_FADV_NOREUSE");
	turns(&once);
	before = counts_before(RUSAGE_SELF);
	for (long i = 0; i < opt.threads; i++)
		if (pthread_create(&id[i], NULL, turns, &opt.count))
			errx(2, "cannot start thread %ld", i);
	for (long i = 0; i < opt.threads; i++)
		pthread_join(id[i], NULL);
	after = counts_after(RUSAGE_SELF);
	print_counts(&before, &after);
}
