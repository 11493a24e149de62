// SPDX-License-Identifier: GPL-2.0-only
/*
 * churn FILE SECONDS - page faults that start readahead, in threads, while other
 * threads map, unmap, protect, advise and move the mappings around them.
 *
 * An area of the address space has slots. In each of them there is, at most, the
 * mapping of one piece of the file; the next slot has mostly the next piece, so
 * that there are neighbours to look at. What is read has to be the right page, a
 * page that is not mapped may raise SIGSEGV. All else is for the kernel to say:
 * run it in one that checks itself.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NR_SLOTS	128
#define NR_READERS	3
#define NR_CHANGERS	2

static const size_t slot_size = 96 << 10, file_size = NR_SLOTS * (96L << 10);
static long page_size;
static char *area;
static int fd;
static volatile bool stop;
static unsigned long nr_reads, nr_faults, nr_changes;
static _Thread_local sigjmp_buf recover;

static void handle_fault(int sig)
{
	siglongjmp(recover, sig);
}

static unsigned int next_random(unsigned int *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void *slot(unsigned int nr)
{
	return area + nr % NR_SLOTS * slot_size;
}

/* False if there was a page that is not mapped. */
static bool read_run(const long first, const long count, const long step)
{
	if (sigsetjmp(recover, 1))
		return false;

	for (long i = 0; i < count; i++) {
		long page = first + i * step;
		volatile uint64_t *p = (void *)(area + page * page_size);
		long value;

		if (page < 0 || page >= (long)file_size / page_size)
			break;
		value = *p;
		/* Any piece may be in any slot, but its pages keep their order. */
		if ((value - page) % ((long)slot_size / page_size))
			errx(1, "page %ld reads as %ld", page, value);
		__atomic_add_fetch(&nr_reads, 1, __ATOMIC_RELAXED);
	}
	return true;
}

/* Walk down or up from anywhere: a few pages, or across some slots. */
static void *read_pages(void *arg)
{
	unsigned int state = (uintptr_t)arg;

	while (!stop) {
		long page = next_random(&state) % (file_size / page_size);
		long count = 1 + next_random(&state) % 64;

		if (!read_run(page, count, next_random(&state) & 1 ? 1 : -1))
			__atomic_add_fetch(&nr_faults, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void map_slot(unsigned int nr, unsigned int piece, unsigned int flags)
{
	if (mmap(slot(nr), slot_size, PROT_READ | (flags & 1 ? PROT_EXEC : 0),
		 MAP_FIXED | (flags & 2 ? MAP_SHARED : MAP_PRIVATE), fd,
		 piece % NR_SLOTS * slot_size) == MAP_FAILED)
		err(1, "mmap");
}

static void *change_mappings(void *arg)
{
	static const int advice[] = {
		MADV_NORMAL, MADV_SEQUENTIAL, MADV_HUGEPAGE, MADV_NOHUGEPAGE,
		MADV_RANDOM, MADV_DONTNEED,
	};
	unsigned int state = (uintptr_t)arg;

	while (!stop) {
		unsigned int nr = next_random(&state) % NR_SLOTS;
		unsigned int other = next_random(&state) % NR_SLOTS;
		unsigned int flags = next_random(&state);

		switch (next_random(&state) % 8) {
		case 0:
			munmap(slot(nr), slot_size);
			break;
		case 1:
			mprotect(slot(nr), slot_size, PROT_NONE);
			break;
		case 2:
			mprotect(slot(nr), slot_size, PROT_READ);
			break;
		case 3:
			madvise(slot(nr), slot_size, advice[flags % 6]);
			break;
		case 4:
			mremap(slot(nr), slot_size, slot_size,
			       MREMAP_MAYMOVE | MREMAP_FIXED, slot(other));
			break;
		case 5:
			map_slot(nr, other, flags);
			break;
		case 6:
			/* so that there is something to read */
			posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
			break;
		default:
			map_slot(nr, nr, flags);
			break;
		}
		__atomic_add_fetch(&nr_changes, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(int argc, char *argv[])
{
	const struct sigaction action = { .sa_handler = handle_fault };
	pthread_t threads[NR_READERS + NR_CHANGERS];
	uint64_t *buf;

	if (argc != 3)
		errx(2, "usage: churn FILE SECONDS");
	page_size = sysconf(_SC_PAGESIZE);
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	buf = calloc(1, page_size);
	if (fd < 0 || !buf)
		err(2, "%s", argv[1]);
	for (size_t off = 0; off < file_size; off += page_size) {
		*buf = off / page_size;
		if (pwrite(fd, buf, page_size, off) != page_size)
			err(2, "%s", argv[1]);
	}
	if (fsync(fd))
		err(2, "%s", argv[1]);

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	area = mmap(NULL, file_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		err(2, "mmap");
	for (unsigned int nr = 0; nr < NR_SLOTS; nr++)
		map_slot(nr, nr, 0);
	for (unsigned int i = 0; i < NR_READERS + NR_CHANGERS; i++)
		if (pthread_create(&threads[i], NULL,
				   i < NR_READERS ? read_pages : change_mappings,
				   (void *)(uintptr_t)(i + 1)))
			errx(2, "cannot start thread %u", i);
	sleep(atoi(argv[2]));
	stop = true;
	for (unsigned int i = 0; i < NR_READERS + NR_CHANGERS; i++)
		pthread_join(threads[i], NULL);
	printf("churn reads=%lu signals=%lu changes=%lu\n", nr_reads, nr_faults, nr_changes);
	return nr_reads && nr_changes ? 0 : 1;
}
