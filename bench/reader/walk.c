// SPDX-License-Identifier: GPL-2.0-only
/* Touch the pages of a file mapping in a given order. */
#define _GNU_SOURCE
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "reader.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ	22
#endif

struct thread {
	pthread_t id;
	unsigned int nr;
	int fd;
	char *map;
	size_t touched;
};

/* Map a part of the file at its place in the area. */
static void map_part(int fd, char *area, struct part part)
{
	char *map = mmap(area + part.start, part.len, PROT_READ,
			 MAP_SHARED | MAP_FIXED, fd, part.start);

	if (map == MAP_FAILED)
		err(2, "mmap");
	if (madvise(map, part.len, advice_values[opt.advice]))
		err(2, "madvise");
	if (!opt.split)
		return;
	/* Any difference between neighbours will do; this one is without effect */
	for (size_t off = 0; off < part.len; off += 2 * opt.split)
		if (madvise(map + off, part.len - off < (size_t)opt.split ?
			    part.len - off : (size_t)opt.split, MADV_DONTFORK))
			err(2, "madvise dontfork");
}

/*
 * A huge page maps only where file offset and address agree in alignment, so
 * map at a multiple of 2 MiB, as an allocator of large areas would.
 */
static char *map_parts(int fd)
{
	size_t align = 2 << 20;
	char *area = mmap(NULL, opt.size + align, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		err(2, "mmap");
	area += -(uintptr_t)area & (align - 1);
	if (opt.rest && mmap(area, opt.size, PROT_NONE, MAP_SHARED | MAP_FIXED,
			     fd, 0) == MAP_FAILED)
		err(2, "mmap");
	for (int i = 0; i < opt.nr_parts; i++)
		map_part(fd, area, opt.parts[i]);
	return area;
}

/* The same sequence on every machine and libc. */
static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* The pages of all parts, counted through */
static size_t nth_page(size_t n)
{
	const struct part *part = opt.parts;

	for (; n >= part->len / page_size; part++)
		n -= part->len / page_size;
	return part->start / page_size + n;
}

static size_t mapped_pages(void)
{
	size_t pages = 0;

	for (int i = 0; i < opt.nr_parts; i++)
		pages += opt.parts[i].len / page_size;
	return pages;
}

static void touch(struct thread *t, size_t n)
{
	size_t page = nth_page(n);
	volatile uint64_t *p = (void *)(t->map + page * page_size);

	if (*p != page)
		errx(1, "page %zu reads as %ju", page, (uintmax_t)*p);
	t->touched++;
}

static void touch_range(struct thread *t, size_t start, size_t end, bool down)
{
	size_t step = opt.stride;

	if (!down) {
		for (size_t p = start; p < end; p += step)
			touch(t, p);
		return;
	}
	for (size_t p = end; p > start; p = p - start > step ? p - step : start)
		touch(t, p - 1);
}

/*
 * The chunks of the file, in random order or one after the other; this thread gets
 * each @opt.threads'th of them.
 */
static void touch_chunks(struct thread *t, size_t pages, bool down)
{
	size_t chunk = opt.chunk / page_size, n = (pages + chunk - 1) / chunk;
	size_t *order = calloc(n, sizeof(*order));
	uint64_t state = opt.seed;

	if (!order)
		err(2, "calloc");
	for (size_t i = 0; i < n; i++)
		order[i] = opt.pattern == DEALT && down ? n - 1 - i : i;
	for (size_t i = n - 1; opt.pattern == SHUFFLED && i; i--) {
		size_t j = next_random(&state) % (i + 1), other = order[j];

		order[j] = order[i];
		order[i] = other;
	}
	for (size_t i = t->nr; i < n; i += opt.threads) {
		size_t start = order[i] * chunk, end = start + chunk;

		touch_range(t, start, end < pages ? end : pages, down);
	}
	free(order);
}

static void advise(struct thread *t, int advice)
{
	for (int i = 0; i < opt.nr_parts; i++)
		if (madvise(t->map + opt.parts[i].start, opt.parts[i].len, advice))
			err(2, "madvise %d", advice);
}

static void pread_parts(struct thread *t)
{
	char *buf = malloc(128 << 10);

	if (!buf)
		err(2, "malloc");
	for (int i = 0; i < opt.nr_parts; i++) {
		size_t end = opt.parts[i].start + opt.parts[i].len;
		ssize_t n;

		for (size_t off = opt.parts[i].start; off < end; off += n) {
			n = pread(t->fd, buf, end - off < 128 << 10 ? end - off : 128 << 10, off);
			if (n <= 0)
				err(2, "pread");
			t->touched += n / page_size;
		}
	}
	free(buf);
}

static void *run_thread(void *arg)
{
	struct thread *t = arg;
	size_t pages = mapped_pages();
	size_t start = pages * t->nr / opt.threads;
	size_t end = pages * (t->nr + 1) / opt.threads;
	bool down = opt.dir == DOWN || (opt.dir == MIX && t->nr % 2);
	size_t chunk = opt.chunk / page_size, block = (16 << 10) / page_size;
	size_t footer = (64 << 10) / page_size;
	uint64_t state = opt.seed * 1000003 + t->nr;

	switch (opt.pattern) {
	case ALONG:
		touch_range(t, start, end, down);
		break;
	case CHUNKS:
		for (size_t e = end; e > start; e = e - start > chunk ? e - chunk : start)
			touch_range(t, e - start > chunk ? e - chunk : start, e, down);
		break;
	case SHUFFLED:
	case DEALT:
		touch_chunks(t, pages, down);
		break;
	case RANDOM:
		for (long i = 0; i < opt.count / opt.threads; i++)
			touch(t, next_random(&state) % pages);
		break;
	case RUNS:
		for (long i = 0; i < opt.count / opt.threads; i++) {
			size_t p = next_random(&state) % (pages / block);

			for (long b = 0; b < opt.blocks && p >= (size_t)b; b++)
				touch_range(t, (p - b) * block, (p - b + 1) * block, false);
		}
		break;
	case FOOTER:
		touch_range(t, end - start > footer ? end - footer : start, end, true);
		start += (end - start) / 2;
		touch_range(t, start, end - start > chunk ? start + chunk : end, false);
		break;
	case PREAD:
		pread_parts(t);
		break;
	case POPULATE:
		advise(t, MADV_POPULATE_READ);
		touch_range(t, start, end, down);
		break;
	case WILLNEED:
		advise(t, MADV_WILLNEED);
		touch_range(t, start, end, down);
		break;
	}
	return NULL;
}

void walk(void)
{
	struct thread threads[MAX_THREADS] = { 0 };
	struct counts before, after;
	struct part whole = { 0, opt.size };
	long inside = 0, touched = 0;
	int fd = open_cold("file", opt.size);

	for (long i = 0; i < opt.threads; i++) {
		bool first = opt.own || !i;

		threads[i].nr = i;
		threads[i].fd = opt.own ? open_cold("file", opt.size) : fd;
		threads[i].map = first ? map_parts(threads[i].fd) : threads[0].map;
	}
	before = counts_before(RUSAGE_SELF);
	if (opt.threads == 1) {
		run_thread(&threads[0]);
	} else {
		for (long i = 0; i < opt.threads; i++)
			if (pthread_create(&threads[i].id, NULL, run_thread, &threads[i]))
				errx(2, "cannot start thread %ld", i);
		for (long i = 0; i < opt.threads; i++)
			pthread_join(threads[i].id, NULL);
	}
	after = counts_after(RUSAGE_SELF);

	for (int i = 0; i < opt.nr_parts; i++)
		inside += cached_pages(fd, opt.parts[i]);
	for (long i = 0; i < opt.threads; i++)
		touched += threads[i].touched;
	printf("touched=%ld inside=%ld outside=%ld ", touched, inside,
	       cached_pages(fd, whole) - inside);
	print_counts(&before, &after);
}
