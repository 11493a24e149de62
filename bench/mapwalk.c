// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapwalk - touch the pages of a file mapping in a given order, from a cold
 * page cache, and count what that cost.
 *
 * One line of key=value pairs per run: faults by getrusage(2), reads and
 * bytes by the block device's own statistics, cached pages by mincore(2),
 * time by CLOCK_MONOTONIC.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "iocount.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_THREADS 64
#define MAX_PARTS 16

static const char usage_text[] =
"usage: mapwalk -f FILE [options]\n"
"  -f FILE     the file; made (and filled) when it is missing or of another size\n"
"  -z BYTES    its size (K, M, G); default 64M\n"
"  -a ADVICE   normal, seq, huge, rand; default normal\n"
"  -p PATTERN  walk, chunk, random, runs, footer; default walk\n"
"                walk    each thread through its own part, every -s pages\n"
"                chunk   chunks of -c bytes from the end to the start of the part,\n"
"                        -d gives the direction inside a chunk\n"
"                random  -n single touches anywhere in the file\n"
"                runs    -n times -b blocks of 16 KiB, one below the other, at a\n"
"                        random place\n"
"                footer  the last 64 KiB down, then -c bytes up from the middle on\n"
"  -d DIR      up, down, mix (odd threads down); default up\n"
"  -s PAGES    stride of walk; default 1\n"
"  -c BYTES    chunk size; default 300K\n"
"  -n COUNT    touches of random, runs of runs\n"
"  -b BLOCKS   blocks in a run; default 2\n"
"  -t THREADS  1 to 64; default 1\n"
"  -o          each thread opens and maps the file for itself\n"
"  -r SEED     of the random order; default 1\n"
"  -O BYTES    skip that much at the start of the file\n"
"  -M OFFSET:LENGTH\n"
"              map that part of the file only; up to 16 of them, touched in the\n"
"              order given. Counts the cached pages inside and outside of them\n"
"  -N          map what is in no part, too, but PROT_NONE\n"
"  -S BYTES    split each part into VMAs of that size\n";

enum advice { NORMAL, SEQ, HUGE, RAND };
static const char *const advice_names[] = { "normal", "seq", "huge", "rand" };
static const int advice_values[] = {
	MADV_NORMAL, MADV_SEQUENTIAL, MADV_HUGEPAGE, MADV_RANDOM,
};

enum pattern { WALK, CHUNK, RANDOM, RUNS, FOOTER };
static const char *const pattern_names[] = { "walk", "chunk", "random", "runs", "footer" };

enum direction { UP, DOWN, MIX };
static const char *const direction_names[] = { "up", "down", "mix" };

struct part {
	size_t start, len;
};

static struct {
	const char *file;
	size_t size, skip, chunk, split;
	struct part parts[MAX_PARTS];
	int nr_parts;
	enum advice advice;
	enum pattern pattern;
	enum direction direction;
	long stride, count, blocks, threads, seed;
	bool own, rest;
} opt = {
	.size = 64 << 20, .chunk = 300 << 10, .stride = 1, .blocks = 2,
	.threads = 1, .seed = 1,
};

static long page_size;

struct thread {
	pthread_t id;
	unsigned int nr;
	char *map;
	uint64_t sum;
	size_t touched;
};

static int lookup(const char *what, const char *s, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(s, names[i]))
			return i;
	errx(2, "'%s' is no %s", s, what);
}

static long long number(const char *what, const char *s, long long min, long long max)
{
	char *end;
	long long v, unit = 1;

	errno = 0;
	v = strtoll(s, &end, 10);
	if (*end == 'K' || *end == 'M' || *end == 'G') {
		unit = *end == 'K' ? 1 << 10 : *end == 'M' ? 1 << 20 : 1 << 30;
		end++;
	}
	if (end == s || *end || errno || v > LLONG_MAX / unit || v < 0 ||
	    v * unit < min || v * unit > max)
		errx(2, "%s: '%s' is not a number from %lld to %lld", what, s, min, max);
	return v * unit;
}

/* Each page carries its index, so that reading a wrong page shows. */
static void make_file(void)
{
	struct stat st;
	uint64_t *buf;
	size_t off, len = 1 << 20;
	int fd;

	if (!stat(opt.file, &st) && (size_t)st.st_size == opt.size)
		return;

	fd = open(opt.file, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		err(2, "%s", opt.file);
	buf = calloc(1, len);
	if (!buf)
		err(2, "calloc");
	for (off = 0; off < opt.size; off += len) {
		size_t n = opt.size - off < len ? opt.size - off : len;

		for (size_t i = 0; i < len; i += page_size)
			buf[i / sizeof(*buf)] = (off + i) / page_size;
		for (size_t done = 0; done < n; ) {
			ssize_t w = pwrite(fd, (char *)buf + done, n - done, off + done);

			if (w <= 0)
				err(2, "write %s", opt.file);
			done += w;
		}
	}
	if (fsync(fd))
		err(2, "fsync %s", opt.file);
	close(fd);
	free(buf);
}

static size_t cached_pages(int fd, struct part part)
{
	size_t pages = (part.len + page_size - 1) / page_size, n = 0;
	unsigned char *vec = malloc(pages);
	void *map = mmap(NULL, part.len, PROT_READ, MAP_SHARED, fd, part.start);

	if (!vec || map == MAP_FAILED || mincore(map, part.len, vec))
		err(2, "mincore %s", opt.file);
	for (size_t i = 0; i < pages; i++)
		n += vec[i] & 1;
	munmap(map, part.len);
	free(vec);
	return n;
}

/* Map a part of the file at its place in the area. */
static void map_part(int fd, char *area, struct part part)
{
	char *map = mmap(area + part.start, part.len, PROT_READ,
			 MAP_SHARED | MAP_FIXED, fd, part.start);

	if (map == MAP_FAILED)
		err(2, "mmap %s", opt.file);
	if (madvise(map, part.len, advice_values[opt.advice]))
		err(2, "madvise %s", advice_names[opt.advice]);
	if (!opt.split)
		return;
	/* Any difference between neighbours will do; this one is without effect */
	for (size_t off = 0; off < part.len; off += 2 * opt.split)
		if (madvise(map + off, part.len - off < opt.split ?
			    part.len - off : opt.split, MADV_DONTFORK))
			err(2, "madvise dontfork");
}

/*
 * A huge page maps only where file offset and address agree in alignment, so
 * map at a multiple of 2 MiB, as an allocator of large areas would.
 */
static char *map_file(int fd)
{
	size_t align = 2 << 20;
	char *area = mmap(NULL, opt.size + align, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		err(2, "mmap");
	area += -(uintptr_t)area & (align - 1);
	if (opt.rest && mmap(area, opt.size, PROT_NONE, MAP_SHARED | MAP_FIXED,
			     fd, 0) == MAP_FAILED)
		err(2, "mmap %s", opt.file);
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

static void touch(struct thread *t, size_t n)
{
	size_t page = nth_page(n);
	volatile uint64_t *p = (void *)(t->map + page * page_size);

	if (*p != page)
		errx(1, "page %zu of %s reads as %ju", page, opt.file, (uintmax_t)*p);
	t->sum += *p;
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

static size_t mapped_pages(void)
{
	size_t pages = 0;

	for (int i = 0; i < opt.nr_parts; i++)
		pages += opt.parts[i].len / page_size;
	return pages;
}

static void *run_thread(void *arg)
{
	struct thread *t = arg;
	size_t first = opt.skip / page_size, pages = mapped_pages() - first;
	size_t start = first + pages * t->nr / opt.threads;
	size_t end = first + pages * (t->nr + 1) / opt.threads;
	bool down = opt.direction == DOWN || (opt.direction == MIX && t->nr % 2);
	size_t chunk = opt.chunk / page_size, block = (16 << 10) / page_size;
	size_t footer = (64 << 10) / page_size;
	uint64_t state = opt.seed * 1000003 + t->nr;

	switch (opt.pattern) {
	case WALK:
		touch_range(t, start, end, down);
		break;
	case CHUNK:
		for (size_t e = end; e > start; e = e - start > chunk ? e - chunk : start)
			touch_range(t, e - start > chunk ? e - chunk : start, e, down);
		break;
	case RANDOM:
		for (long i = 0; i < opt.count / opt.threads; i++)
			touch(t, first + next_random(&state) % pages);
		break;
	case RUNS:
		for (long i = 0; i < opt.count / opt.threads; i++) {
			size_t p = next_random(&state) % (pages / block);

			for (long b = 0; b < opt.blocks && p >= (size_t)b; b++)
				touch_range(t, first + (p - b) * block,
					    first + (p - b + 1) * block, false);
		}
		break;
	case FOOTER:
		touch_range(t, end - start > footer ? end - footer : start, end, true);
		start += (end - start) / 2;
		touch_range(t, start, end - start > chunk ? start + chunk : end, false);
		break;
	}
	return NULL;
}

/* OFFSET:LENGTH */
static void add_part(char *s)
{
	struct part *part = &opt.parts[opt.nr_parts];
	char *len = strchr(s, ':');

	if (!len || opt.nr_parts == MAX_PARTS)
		errx(2, "-M: '%s' is no OFFSET:LENGTH, or there are more than %d",
		     s, MAX_PARTS);
	*len++ = '\0';
	part->start = number("-M", s, 0, 1LL << 40);
	part->len = number("-M", len, page_size, 1LL << 40);
	if (part->start % page_size || part->len % page_size)
		errx(2, "-M: parts are whole pages of %ld bytes", page_size);
	opt.nr_parts++;
}

int main(int argc, char *argv[])
{
	struct thread threads[MAX_THREADS] = { 0 };
	struct rusage r0, r1;
	struct timespec t0, t1;
	struct io_count c0, c1;
	struct part whole = { 0 };
	size_t inside = 0, touched = 0;
	bool parts = false;
	char *map = NULL;
	int fd, c;

	page_size = sysconf(_SC_PAGESIZE);
	while ((c = getopt(argc, argv, "f:z:a:p:d:s:c:n:b:t:or:O:M:NS:h")) != -1) {
		switch (c) {
		case 'f':
			opt.file = optarg;
			break;
		case 'z':
			opt.size = number("-z", optarg, page_size, 1LL << 40);
			break;
		case 'a':
			opt.advice = lookup("advice", optarg, advice_names,
					    ARRAY_SIZE(advice_names));
			break;
		case 'p':
			opt.pattern = lookup("pattern", optarg, pattern_names,
					     ARRAY_SIZE(pattern_names));
			break;
		case 'd':
			opt.direction = lookup("direction", optarg, direction_names,
					       ARRAY_SIZE(direction_names));
			break;
		case 's':
			opt.stride = number("-s", optarg, 1, 1 << 20);
			break;
		case 'c':
			opt.chunk = number("-c", optarg, page_size, 1 << 30);
			break;
		case 'n':
			opt.count = number("-n", optarg, 1, 1 << 30);
			break;
		case 'b':
			opt.blocks = number("-b", optarg, 1, 1 << 20);
			break;
		case 't':
			opt.threads = number("-t", optarg, 1, MAX_THREADS);
			break;
		case 'o':
			opt.own = true;
			break;
		case 'r':
			opt.seed = number("-r", optarg, 0, INT_MAX);
			break;
		case 'O':
			opt.skip = number("-O", optarg, 0, 1LL << 40);
			break;
		case 'M':
			add_part(optarg);
			parts = true;
			break;
		case 'N':
			opt.rest = true;
			break;
		case 'S':
			opt.split = number("-S", optarg, page_size, 1LL << 40);
			break;
		case 'h':
			fputs(usage_text, stdout);
			return 0;
		default:
			fputs(usage_text, stderr);
			return 2;
		}
	}
	if (!opt.file || optind != argc) {
		fputs(usage_text, stderr);
		return 2;
	}
	whole.len = opt.size;
	if (!parts)
		opt.parts[opt.nr_parts++] = whole;
	for (int i = 0; i < opt.nr_parts; i++)
		if (opt.parts[i].start + opt.parts[i].len > opt.size)
			errx(2, "-M: a part ends behind the file");
	if (opt.split % page_size || opt.skip / page_size >= mapped_pages())
		errx(2, "-S is no number of pages, or -O more than is mapped");
	if ((opt.pattern == RANDOM || opt.pattern == RUNS) && !opt.count)
		errx(2, "-p %s wants -n", pattern_names[opt.pattern]);

	make_file();
	fd = open(opt.file, O_RDONLY);
	if (fd < 0)
		err(2, "%s", opt.file);
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		errx(2, "%s: cannot drop its pages", opt.file);
	if (cached_pages(fd, whole))
		errx(2, "%s: %zu pages stay cached, this would be no cold run",
		     opt.file, cached_pages(fd, whole));

	for (long i = 0; i < opt.threads; i++) {
		int own_fd = fd;

		threads[i].nr = i;
		if (opt.own) {
			own_fd = open(opt.file, O_RDONLY);
			if (own_fd < 0)
				err(2, "%s", opt.file);
		}
		if (opt.own || !map)
			map = map_file(own_fd);
		threads[i].map = map;
	}

	c0 = io_count(opt.file);
	getrusage(RUSAGE_SELF, &r0);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	if (opt.threads == 1) {
		run_thread(&threads[0]);
	} else {
		for (long i = 0; i < opt.threads; i++)
			if (pthread_create(&threads[i].id, NULL, run_thread, &threads[i]))
				errx(2, "cannot start thread %ld", i);
		for (long i = 0; i < opt.threads; i++)
			pthread_join(threads[i].id, NULL);
	}
	clock_gettime(CLOCK_MONOTONIC, &t1);
	getrusage(RUSAGE_SELF, &r1);
	c1 = parts ? io_count_idle(opt.file) : io_count(opt.file);

	printf("advice=%s pattern=%s dir=%s size=%zu stride=%ld threads=%ld own=%d count=%ld blocks=%ld",
	       advice_names[opt.advice], pattern_names[opt.pattern],
	       direction_names[opt.direction], opt.size, opt.stride,
	       opt.threads, opt.own, opt.count, opt.blocks);
	printf(" majflt=%ld minflt=%ld reads=%llu kib=%llu cached=%zu",
	       r1.ru_majflt - r0.ru_majflt, r1.ru_minflt - r0.ru_minflt,
	       c1.reads - c0.reads, (c1.sectors - c0.sectors) / 2, cached_pages(fd, whole));
	if (parts) {
		for (int i = 0; i < opt.nr_parts; i++)
			inside += cached_pages(fd, opt.parts[i]);
		for (long i = 0; i < opt.threads; i++)
			touched += threads[i].touched;
		printf(" split=%zu touched=%zu inside=%zu outside=%zu",
		       opt.split, touched, inside, cached_pages(fd, whole) - inside);
	}
	printf(" usec=%lld\n",
	       (t1.tv_sec - t0.tv_sec) * 1000000LL + (t1.tv_nsec - t0.tv_nsec) / 1000);
	return 0;
}
