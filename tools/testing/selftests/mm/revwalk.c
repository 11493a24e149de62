// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readahead for readers that walk a file mapping, above all downwards.
 *
 * What is asserted is how often a reader waits for the device (major faults of
 * the process) and which pages come into the page cache (cachestat(2), or
 * mincore(2) where the kernel lacks it). Never how long it takes, so that the
 * results are the same on a slow disk, on a fast one and in an emulator.
 * Every walk starts with a page cache that is seen to hold nothing of the file.
 *
 * The file is created in $READAHEAD_DIR, else in $TMPDIR, else in the current
 * directory, and unlinked at once. It has to be on a file system that reads
 * ahead (not tmpfs). As root, the walks are repeated at several sizes of
 * read_ahead_kb, which is put back at the end; else at the current one.
 *
 * With the name of a file, this program walks that file once instead:
 *
 *	revwalk FILE [normal|seq|huge] [up]
 *
 * and prints the number of major faults. The walk goes down unless told "up".
 */

#define _GNU_SOURCE
#include "kselftest_harness.h"
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "readahead_util.h"
#include "vm_util.h"

#define FILE_SIZE	(64L << 20)
#define LARGE_FILE_SIZE	(512L << 20)
#define CHUNK_SIZE	(300L << 10)

/* As map_file(), with nothing of the file in the page cache. */
static char *map_cold(struct __test_metadata *_metadata, int fd, long first,
		      long nr, int advice)
{
	char *map;

	ASSERT_TRUE(drop_cache(fd));
	map = map_file(fd, first, nr, advice);
	ASSERT_NE(map, MAP_FAILED)
		TH_LOG("mmap and madvise: %s", strerror(errno));
	ASSERT_EQ(cached_pages(fd, 0, 0), 0);
	return map;
}

static const char *walk_name(const struct walk *w)
{
	static char name[80];

	snprintf(name, sizeof(name), "%ld pages from page %ld, step %ld, %s",
		 w->nr, w->first, w->step, w->down ? "down" : "up");
	return name;
}

/*
 * Walk a mapping of the whole file, cold; return the number of major faults.
 * What has been walked is right, and cached, and so is nothing beyond the end.
 */
static long cold_walk(struct __test_metadata *_metadata, int fd, int advice,
		      const struct walk *w)
{
	const long nr_pages = nr_file_pages(fd);
	char *map = map_cold(_metadata, fd, 0, nr_pages, advice);
	const struct walk_result result = walk(map, w);

	print_count(walk_name(w), result.majflt);
	EXPECT_EQ(result.wrong, 0);
	if (w->step == 1)
		EXPECT_EQ(cached_pages(fd, w->first, w->nr), w->nr);
	EXPECT_LT(cached_pages(fd, nr_pages, 0), cache_unit(fd));
	ASSERT_EQ(munmap(map, nr_pages * psize()), 0);
	return result.majflt;
}

/* A walk that readahead has to follow, whatever its size. */
static void expect_followed(struct __test_metadata *_metadata, int fd,
			    int advice, const struct walk *w)
{
	for (int i = 0; set_readahead(i); i++) {
		long majflt = cold_walk(_metadata, fd, advice, w);

		EXPECT_LE(majflt, MAX_MAJFLT);
	}
}

/* For the files that the tests read. */
static int create_test_file(struct __test_metadata *_metadata)
{
	const char *skip;
	int fd = create_file(FILE_SIZE, &skip);

	if (skip)
		SKIP(return -1, "%s", skip);
	ASSERT_GE(fd, 0)
		TH_LOG("%s: a file of %ld MiB: %s; READAHEAD_DIR may name another directory",
		       test_dir(), FILE_SIZE >> 20, strerror(errno));
	return fd;
}

FIXTURE(revwalk)
{
	int fd;
	long nr_pages;
};

FIXTURE_VARIANT(revwalk)
{
	int advice;
};

FIXTURE_VARIANT_ADD(revwalk, normal)
{
	.advice = MADV_NORMAL,
};

FIXTURE_VARIANT_ADD(revwalk, sequential)
{
	.advice = MADV_SEQUENTIAL,
};

/* Where the file system has no large folios, the same as normal. */
FIXTURE_VARIANT_ADD(revwalk, huge)
{
	.advice = MADV_HUGEPAGE,
};

FIXTURE_SETUP(revwalk)
{
	if (variant->advice == MADV_HUGEPAGE &&
	    access("/sys/kernel/mm/transparent_hugepage", F_OK))
		SKIP(return, "no transparent huge pages");
	self->nr_pages = FILE_SIZE / psize();
	self->fd = create_test_file(_metadata);
}

FIXTURE_TEARDOWN(revwalk)
{
	close(self->fd);
}

/*
 * The control: a reader that goes up is followed, from the first page on.
 */
TEST_F_TIMEOUT(revwalk, ascending, WALK_TIMEOUT)
{
	const struct walk up = { .nr = self->nr_pages, .step = 1 };

	expect_followed(_metadata, self->fd, variant->advice, &up);
}

/*
 * A reader that goes down from the end is followed as well:
 *
 *	0                                                  end
 *	|                 |<- next --|<- read ahead --|<----|
 *	                                                   ^ first touch
 *	                                     <-- reader --
 */
TEST_F_TIMEOUT(revwalk, descending, WALK_TIMEOUT)
{
	const struct walk down = {
		.nr = self->nr_pages, .step = 1, .down = true
	};

	expect_followed(_metadata, self->fd, variant->advice, &down);
}

/*
 * A reader that starts in the middle is as good as one that starts at either
 * end. The part it reads neither begins nor ends at a boundary of any window.
 */
static struct walk middle_walk(long nr_pages, bool down)
{
	return (struct walk){
		.first = nr_pages / 16 - 24,
		.nr = (5L << 20) / psize() - 1,
		.step = 1,
		.down = down,
	};
}

TEST_F_TIMEOUT(revwalk, ascending_from_the_middle, WALK_TIMEOUT)
{
	const struct walk up = middle_walk(self->nr_pages, false);

	expect_followed(_metadata, self->fd, variant->advice, &up);
}

TEST_F_TIMEOUT(revwalk, descending_from_the_middle, WALK_TIMEOUT)
{
	const struct walk down = middle_walk(self->nr_pages, true);

	expect_followed(_metadata, self->fd, variant->advice, &down);
}

/*
 * A reader that copies chunks out of the mapping, each from its last word to
 * its first. The chunks fit no window.
 *
 *	0                                                end
 *	| rest |  chunk n  |   ...   |  chunk 1  |  chunk 0  |
 *	        <-- words             <-- words   <-- words
 */
TEST_F_TIMEOUT(revwalk, chunks, WALK_TIMEOUT)
{
	uint64_t *buf = malloc(CHUNK_SIZE);

	ASSERT_NE(buf, NULL);

	for (int i = 0; set_readahead(i); i++) {
		char *map = map_cold(_metadata, self->fd, 0, self->nr_pages,
				     variant->advice);
		long majflt = 0, wrong = 0;

		for (long end = FILE_SIZE; end;) {
			const long len = min(CHUNK_SIZE, end);
			const long words = len / sizeof(uint64_t);
			const uint64_t *src = (uint64_t *)(map + end - len);

			end -= len;

			/* Only the copy touches the mapping ... */
			majflt -= major_faults();
			for (long w = words - 1; w >= 0; w--)
				buf[w] = FORCE_READ(src[w]);
			majflt += major_faults();

			/* ... and it gets the file, whole. */
			for (long w = 0; w < words; w++) {
				long pos = end + w * sizeof(uint64_t);

				wrong += buf[w] != page_data(pos / psize());
			}
		}
		print_count("chunks", majflt);
		EXPECT_LE(majflt, MAX_MAJFLT);
		EXPECT_EQ(wrong, 0);
		EXPECT_EQ(cached_pages(self->fd, 0, 0), self->nr_pages);
		ASSERT_EQ(munmap(map, FILE_SIZE), 0);
	}
	free(buf);
}

/*
 * The same by memmove(3), which has to go down where the target overlaps the
 * end of the source: it moves each chunk up by a byte within a private mapping.
 * Writing does not count, since each page has been read by then.
 *
 * A memmove may look at the first page of a chunk before it goes down from the
 * last, as glibc's does, and jump over more than is read ahead:
 *
 *	|    chunk 1     |    chunk 0     |
 *	 ^ 3   <--   4 ^  ^ 1   <--   2 ^
 *
 * So it may wait at these two places in each chunk, but not in between.
 */
TEST_F_TIMEOUT(revwalk, memmove, WALK_TIMEOUT)
{
	const long nr_chunks = (FILE_SIZE + CHUNK_SIZE - 1) / CHUNK_SIZE;

	for (int i = 0; set_readahead(i); i++) {
		char *map = map_cold(_metadata, self->fd, 0, self->nr_pages,
				     variant->advice);
		long majflt, wrong = 0;

		ASSERT_EQ(mprotect(map, FILE_SIZE, PROT_READ | PROT_WRITE), 0);

		majflt = -major_faults();
		for (long end = FILE_SIZE - 1; end;) {
			const long len = min(CHUNK_SIZE, end);

			end -= len;
			memmove(map + end + 1, map + end, len);
		}
		majflt += major_faults();

		for (long page = 0; page < self->nr_pages; page++) {
			uint64_t word;

			memcpy(&word, map + page * psize() + 1, sizeof(word));
			wrong += word != page_data(page);
		}
		print_count("memmove", majflt);
		EXPECT_LE(majflt, 2 * nr_chunks + MAX_MAJFLT);
		EXPECT_EQ(wrong, 0);
		ASSERT_EQ(munmap(map, FILE_SIZE), 0);
	}
}

/*
 * A reader that leaves out pages costs no more on the way down, from the last
 * page on, than its mirror image on the way up:
 *
 *	|x  x  x  x  x  x  |  up
 *	|  x  x  x  x  x  x|  down
 *
 * Whether it meets the marker of a window is chance for most steps.  For those
 * that are a power of two it is not, so the pages of the way up will do, too.
 */
TEST_F_TIMEOUT(revwalk, strides, WALK_TIMEOUT)
{
	static const long steps[] = {
		2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 24, 31, 32, 33,
		48, 63, 64
	};

	if (cache_unit(self->fd) > 1)
		SKIP(return, "%s: blocks larger than a page", test_dir());

	for (int i = 0; set_readahead(i); i++) {
		for (unsigned int s = 0; s < ARRAY_SIZE(steps); s++) {
			struct walk w = {
				.nr = self->nr_pages, .step = steps[s]
			};
			long up, down;

			up = cold_walk(_metadata, self->fd, variant->advice, &w);
			w.down = true;
			if (!(w.step & (w.step - 1))) {
				down = cold_walk(_metadata, self->fd,
						 variant->advice, &w);
				EXPECT_LE(down, up + 2)
					TH_LOG("step %ld", w.step);
			}
			w.first = (w.nr - 1) % w.step;
			w.nr -= w.first;
			down = cold_walk(_metadata, self->fd, variant->advice, &w);
			EXPECT_LE(down, up + 2)
				TH_LOG("step %ld, mirrored", w.step);
		}
	}
}

/*
 * Several readers of one struct file, and so of one readahead state, each with
 * a part of the file of its own:
 *
 *	0                                                  end
 *	|  reader 0  |  reader 1  |       ...    |  reader 7  |
 *	          <--          <--                         <--
 *
 * To go down may cost a tenth more than to go up, and the fault at which the
 * direction of each reader shows.
 */
#define NR_READERS	8

static long readers_limit(long up)
{
	return up + up / 10 + NR_READERS;
}

/* One thread takes a page of each part in turn, so that the order is known. */
static long cold_walk_in_turns(struct __test_metadata *_metadata, int fd,
			       int advice, bool down)
{
	const long nr_pages = nr_file_pages(fd);
	const long part = nr_pages / NR_READERS;
	char *map = map_cold(_metadata, fd, 0, nr_pages, advice);
	long majflt = 0;

	for (long i = 0; i < part; i++) {
		const struct walk turn = {
			.first = down ? part - 1 - i : i,
			.nr = nr_pages - part + 1,
			.step = part,
		};
		struct walk_result result = walk(map, &turn);

		majflt += result.majflt;
		ASSERT_EQ(result.wrong, 0);
	}
	print_count(down ? "in turns, down" : "in turns, up", majflt);
	EXPECT_EQ(cached_pages(fd, 0, 0), nr_pages);
	ASSERT_EQ(munmap(map, nr_pages * psize()), 0);
	return majflt;
}

TEST_F_TIMEOUT(revwalk, readers_in_turns, WALK_TIMEOUT)
{
	for (int i = 0; set_readahead(i); i++) {
		long up = cold_walk_in_turns(_metadata, self->fd,
					     variant->advice, false);
		long down = cold_walk_in_turns(_metadata, self->fd,
					       variant->advice, true);

		EXPECT_LE(down, readers_limit(up));
	}
}

struct reader {
	pthread_t thread;
	pthread_barrier_t *start;
	const char *map;
	struct walk walk;
	struct walk_result result;
};

static void *read_part(void *arg)
{
	struct reader *reader = arg;

	pthread_barrier_wait(reader->start);
	reader->result = walk(reader->map, &reader->walk);
	return NULL;
}

static long cold_walk_in_threads(struct __test_metadata *_metadata, int fd,
				 int advice, bool down)
{
	const long nr_pages = nr_file_pages(fd);
	const long part = nr_pages / NR_READERS;
	char *map = map_cold(_metadata, fd, 0, nr_pages, advice);
	struct reader readers[NR_READERS];
	pthread_barrier_t start;
	long majflt = -major_faults();

	ASSERT_EQ(pthread_barrier_init(&start, NULL, NR_READERS), 0);
	for (int i = 0; i < NR_READERS; i++) {
		struct reader *reader = &readers[i];

		reader->start = &start;
		reader->map = map;
		reader->walk = (struct walk){
			.first = i * part, .nr = part, .step = 1, .down = down
		};
		ASSERT_EQ(pthread_create(&reader->thread, NULL, read_part,
					 reader), 0);
	}
	for (int i = 0; i < NR_READERS; i++) {
		ASSERT_EQ(pthread_join(readers[i].thread, NULL), 0);
		EXPECT_EQ(readers[i].result.wrong, 0);
	}
	majflt += major_faults();
	pthread_barrier_destroy(&start);

	print_count(down ? "threads, down" : "threads, up", majflt);
	EXPECT_EQ(cached_pages(fd, 0, 0), nr_pages);
	ASSERT_EQ(munmap(map, nr_pages * psize()), 0);
	return majflt;
}

TEST_F_TIMEOUT(revwalk, readers_in_threads, WALK_TIMEOUT)
{
	for (int i = 0; set_readahead(i); i++) {
		long up = cold_walk_in_threads(_metadata, self->fd,
					       variant->advice, false);
		long down = cold_walk_in_threads(_metadata, self->fd,
						 variant->advice, true);

		EXPECT_LE(down, readers_limit(up));
	}
}

/*
 * MADV_RANDOM wins over other advice: nothing is read ahead, in particular not
 * for a reader that goes down. A huge page that was asked for is still read as
 * a whole, but not the one below it.
 */
TEST_F_TIMEOUT(revwalk, madv_random, WALK_TIMEOUT)
{
	const bool huge = variant->advice == MADV_HUGEPAGE;
	const struct walk down = {
		.nr = self->nr_pages,
		.step = huge ? 2 * HPAGE_SIZE / psize() : 64,
		.down = true,
	};
	const long touches = self->nr_pages / down.step;
	const long unit = huge ? HPAGE_SIZE / psize() : cache_unit(self->fd);

	for (int i = 0; set_readahead(i); i++) {
		char *map = map_cold(_metadata, self->fd, 0, self->nr_pages,
				     variant->advice);

		ASSERT_EQ(madvise(map, FILE_SIZE, MADV_RANDOM), 0);
		EXPECT_EQ(walk(map, &down).wrong, 0);
		EXPECT_GE(cached_pages(self->fd, 0, 0), touches);
		EXPECT_LE(cached_pages(self->fd, 0, 0), touches * unit);
		ASSERT_EQ(munmap(map, FILE_SIZE), 0);
	}
}

/*
 * A reader that starts a few pages from the start of the file gets there. There
 * is no window below.
 */
TEST_F_TIMEOUT(revwalk, start_of_file, WALK_TIMEOUT)
{
	static const long starts[] = { 0, 1, 2, 5, 16 };

	for (unsigned int s = 0; s < ARRAY_SIZE(starts); s++) {
		const struct walk down = {
			.nr = starts[s] + 1, .step = 1, .down = true
		};

		expect_followed(_metadata, self->fd, variant->advice, &down);
	}
}

/*
 * A file of one page: the first is the last, and there is nothing around it.
 */
TEST_F_TIMEOUT(revwalk, one_page, WALK_TIMEOUT)
{
	const struct walk down = { .nr = 1, .step = 1, .down = true };

	ASSERT_EQ(ftruncate(self->fd, psize()), 0);
	ASSERT_EQ(fsync(self->fd), 0);
	expect_followed(_metadata, self->fd, variant->advice, &down);
}

/*
 * A file that ends within a page, and within a window of every size. The page
 * that holds the end is zero beyond it.
 */
TEST_F_TIMEOUT(revwalk, partial_last_page, WALK_TIMEOUT)
{
	const long last = self->nr_pages / 2 + 41;
	const long tail = 128;
	const struct walk down = { .nr = last + 1, .step = 1, .down = true };
	long nonzero = 0;
	char *map;

	ASSERT_EQ(ftruncate(self->fd, (off_t)last * psize() + tail), 0);
	ASSERT_EQ(fsync(self->fd), 0);
	expect_followed(_metadata, self->fd, variant->advice, &down);

	map = map_cold(_metadata, self->fd, last, 1, variant->advice);
	for (long i = tail; i < psize(); i++)
		nonzero += map[i] != 0;
	EXPECT_EQ(nonzero, 0);
	ASSERT_EQ(munmap(map, psize()), 0);
}

/*
 * A hole is walked like data, and reads as zeroes.
 *
 *	0            hole       hole_end       end
 *	|    data     |           |    data     |
 */
TEST_F_TIMEOUT(revwalk, hole, WALK_TIMEOUT)
{
	const long hole = self->nr_pages / 2 - 11;
	const long hole_end = self->nr_pages * 3 / 4 + 5;
	const struct walk down = {
		.nr = self->nr_pages, .step = 1, .down = true
	};

	ASSERT_EQ(ftruncate(self->fd, (off_t)hole * psize()), 0);
	ASSERT_TRUE(fill(self->fd, hole_end, self->nr_pages - hole_end));

	for (int i = 0; set_readahead(i); i++) {
		char *map = map_cold(_metadata, self->fd, 0, self->nr_pages,
				     variant->advice);
		struct walk_result result = walk(map, &down);
		long nonzero = 0;

		print_count("hole", result.majflt);
		EXPECT_LE(result.majflt, MAX_MAJFLT);

		/* The pages of the hole are those without data, and zero. */
		EXPECT_EQ(result.wrong, hole_end - hole);
		for (long page = hole; page < hole_end; page++)
			nonzero += *(uint64_t *)(map + page * psize()) != 0;
		EXPECT_EQ(nonzero, 0);
		ASSERT_EQ(munmap(map, FILE_SIZE), 0);
	}
}

/*
 * A mapping of a part of the file, which begins and ends within a window and
 * within a huge page.
 *
 *	0           first                      end
 *	|             |<----- mapped ----->|    |
 */
TEST_F_TIMEOUT(revwalk, part_of_file, WALK_TIMEOUT)
{
	const struct walk down = {
		.first = self->nr_pages / 4 + 7,
		.nr = self->nr_pages / 4 + 14,
		.step = 1,
		.down = true,
	};

	for (int i = 0; set_readahead(i); i++) {
		char *map = map_cold(_metadata, self->fd, down.first, down.nr,
				     variant->advice);
		struct walk_result result = walk(map - down.first * psize(),
						 &down);

		print_count("part of file", result.majflt);
		EXPECT_LE(result.majflt, MAX_MAJFLT);
		EXPECT_EQ(result.wrong, 0);
		EXPECT_EQ(cached_pages(self->fd, down.first, down.nr), down.nr);
		ASSERT_EQ(munmap(map, down.nr * psize()), 0);
	}
}

static sigjmp_buf sigbus_jmp;

static void handle_sigbus(int sig)
{
	siglongjmp(sigbus_jmp, sig);
}

/* Read a byte; false if that raises SIGBUS. */
static bool try_read(const char *addr, char *byte)
{
	if (sigsetjmp(sigbus_jmp, 1))
		return false;
	*byte = FORCE_READ(*addr);
	return true;
}

/*
 * The file is cut a few pages below the reader, in the midst of what has been
 * read ahead and may still be on its way. From there on there is nothing but
 * SIGBUS above, and nothing but the data below.
 *
 *	0                      cut        reader     end
 *	|       data            |. SIGBUS   |         |
 *	                        ^ keeps its first bytes
 */
TEST_F_TIMEOUT(revwalk, truncate, WALK_TIMEOUT)
{
	const struct sigaction act = { .sa_handler = handle_sigbus };
	const long reader = self->nr_pages * 3 / 4;
	const long cut = reader - 5;
	const long tail = 128;
	const struct walk above = {
		.first = reader,
		.nr = self->nr_pages - reader,
		.step = 1,
		.down = true,
	};
	const struct walk below = { .nr = cut + 1, .step = 1, .down = true };

	ASSERT_EQ(sigaction(SIGBUS, &act, NULL), 0);

	for (int i = 0; set_readahead(i); i++) {
		char *map = map_cold(_metadata, self->fd, 0, self->nr_pages,
				     variant->advice);
		char byte = -1;

		EXPECT_EQ(walk(map, &above).wrong, 0);
		ASSERT_EQ(ftruncate(self->fd, (off_t)cut * psize() + tail), 0);

		/* Above, what had been mapped and what had not are gone. */
		EXPECT_FALSE(try_read(map + FILE_SIZE - psize(), &byte));
		EXPECT_FALSE(try_read(map + reader * psize(), &byte));
		EXPECT_FALSE(try_read(map + (cut + 1) * psize(), &byte));

		/* In the page of the new end there are zeroes beyond it. */
		EXPECT_TRUE(try_read(map + cut * psize() + tail, &byte));
		EXPECT_EQ(byte, 0);

		/* Below, the walk goes on. */
		EXPECT_EQ(walk(map, &below).wrong, 0);
		EXPECT_EQ(cached_pages(self->fd, 0, cut + 1), cut + 1);

		ASSERT_EQ(munmap(map, FILE_SIZE), 0);
		ASSERT_TRUE(fill(self->fd, cut, self->nr_pages - cut));
	}
}

/*
 * The other half: where readahead does not pay it has to stop. A struct file
 * counts misses up and hits down, and past 100 misses (MMAP_LOTSAMISS) a fault
 * reads the page it needs and no other.
 *
 * Random readers touch one page in the middle of each slot. A slot is twice as
 * large as the readahead that they are tested with, so that what is read around
 * one touch does not serve another.
 */
#define SLOT_SIZE	(256L << 10)
#define NR_SLOTS	(FILE_SIZE / SLOT_SIZE)

FIXTURE(mmap_miss)
{
	int fd;
	long nr_pages;
};

FIXTURE_SETUP(mmap_miss)
{
	self->nr_pages = FILE_SIZE / psize();
	self->fd = create_test_file(_metadata);
	if (self->fd >= 0)
		set_readahead(0);
}

FIXTURE_TEARDOWN(mmap_miss)
{
	close(self->fd);
}

/*
 * Touch the next @nr slots, in an order that looks random and visits each slot
 * once, leaving out those before @first. Return the number of major faults.
 */
static long touch_slots(const char *map, long *slot, long first, long nr)
{
	long majflt = -major_faults();

	while (nr) {
		*slot = (*slot * 37 + 29) % NR_SLOTS;
		if (*slot < first)
			continue;
		FORCE_READ(map[*slot * SLOT_SIZE + SLOT_SIZE / 2]);
		nr--;
	}
	return majflt + major_faults();
}

/*
 * Random reads: once there have been many more misses than hits, each one reads
 * what it touches. This bounds what wrong guesses at a direction can cost.
 */
TEST_F_TIMEOUT(mmap_miss, random_reads, WALK_TIMEOUT)
{
	char *map = map_cold(_metadata, self->fd, 0, self->nr_pages,
			     MADV_NORMAL);
	const long nr = NR_SLOTS / 2;
	long before, slot = 0;

	/* If one touch serves another, the kernel is right to go on. */
	if (touch_slots(map, &slot, 0, nr) != nr)
		SKIP(return, "read_ahead_kb is too large for random misses");

	before = cached_pages(self->fd, 0, 0);
	EXPECT_EQ(touch_slots(map, &slot, 0, nr), nr);
	EXPECT_EQ(cached_pages(self->fd, 0, 0) - before,
		  nr * cache_unit(self->fd));
	ASSERT_EQ(munmap(map, FILE_SIZE), 0);
}

/*
 * A fault that finds a huge page and maps it by a PMD is a hit, as one that
 * maps its pages by PTEs is. Seen from outside: such hits, and nothing else,
 * bring back readahead that misses have stopped.
 *
 * One struct file, and one mapping of it with two kinds of advice, so that it
 * is small reads that miss often:
 *
 *	0                        16 MiB                          64 MiB
 *	|H|.|   |A|.|   |B|.|   |   .    .     .    .     .    .  |
 *	`---- MADV_HUGEPAGE ----'`--------- MADV_NORMAL ----------'
 */
TEST_F_TIMEOUT(mmap_miss, pmd_mapping, WALK_TIMEOUT)
{
	const long hpage_pages = HPAGE_SIZE / psize();
	const long huge_area = 16L << 20;
	const long page_a = 2 * hpage_pages;
	const long page_b = 4 * hpage_pages;
	const long misses = 120, hits = 60;
	long slot = 0;
	char *map;

	/* Readahead for MADV_HUGEPAGE stops at 2 MiB. */
	if (read_pmd_pagesize() != HPAGE_SIZE)
		SKIP(return, "no huge pages of 2 MiB");

	map = map_cold(_metadata, self->fd, 0, self->nr_pages, MADV_NORMAL);
	ASSERT_EQ(madvise(map, huge_area, MADV_HUGEPAGE), 0);

	/* Get huge page H, and see that it is mapped as such. */
	FORCE_READ(*map);
	if (!check_huge_file(map, huge_area, 1, HPAGE_SIZE))
		SKIP(return, "the file is not mapped by huge pages");

	/* Miss often enough for readahead to stop ... */
	if (touch_slots(map, &slot, huge_area / SLOT_SIZE, misses) != misses)
		SKIP(return, "read_ahead_kb is too large for random misses");

	/* ... so that of huge page A the first touch reads only a page. */
	FORCE_READ(map[page_a * psize()]);
	EXPECT_EQ(cached_pages(self->fd, page_a, hpage_pages),
		  cache_unit(self->fd));

	/* Hit H: each time it is unmapped, and still cached. */
	for (int i = 0; i < hits; i++) {
		ASSERT_EQ(madvise(map, HPAGE_SIZE, MADV_DONTNEED), 0);
		FORCE_READ(*map);
	}
	EXPECT_TRUE(check_huge_file(map, huge_area, 1, HPAGE_SIZE));

	/* Now huge page B comes in whole. */
	FORCE_READ(map[page_b * psize()]);
	EXPECT_EQ(cached_pages(self->fd, page_b, hpage_pages), hpage_pages);
	ASSERT_EQ(munmap(map, FILE_SIZE), 0);
}

/*
 * A file with more huge pages than it takes misses to stop readahead costs no
 * more on the way down than on the way up, be it that every page is touched or
 * some in each huge page.
 */
TEST_F_TIMEOUT(mmap_miss, large_file, WALK_TIMEOUT)
{
	const long nr_pages = LARGE_FILE_SIZE / psize();
	static const long steps[] = { 1, 64 };
	struct statvfs st;

	if (access("/sys/kernel/mm/transparent_hugepage", F_OK))
		SKIP(return, "no transparent huge pages");
	ASSERT_EQ(fstatvfs(self->fd, &st), 0);
	if ((uint64_t)st.f_bavail * st.f_frsize < LARGE_FILE_SIZE)
		SKIP(return, "%s: not enough space for a file of %ld MiB",
		     test_dir(), LARGE_FILE_SIZE >> 20);

	ASSERT_TRUE(fill(self->fd, self->nr_pages, nr_pages - self->nr_pages));
	for (unsigned int i = 0; i < ARRAY_SIZE(steps); i++) {
		struct walk w = { .nr = nr_pages, .step = steps[i] };
		long up, down;

		up = cold_walk(_metadata, self->fd, MADV_HUGEPAGE, &w);
		w.down = true;
		down = cold_walk(_metadata, self->fd, MADV_HUGEPAGE, &w);
		EXPECT_LE(down, up + 2);
	}
}

/*
 * Where readahead is off it stays off. MADV_HUGEPAGE, which reads huge pages
 * even so, is left out.
 */
TEST_F_TIMEOUT(mmap_miss, readahead_off, WALK_TIMEOUT)
{
	static const int advice[] = { MADV_NORMAL, MADV_SEQUENTIAL };
	const struct walk down = {
		.nr = self->nr_pages, .step = 64, .down = true
	};

	if (!ra_kb.writable)
		SKIP(return, "read_ahead_kb may not be set");
	write_readahead(0);

	for (unsigned int i = 0; i < ARRAY_SIZE(advice); i++) {
		cold_walk(_metadata, self->fd, advice[i], &down);
		EXPECT_EQ(cached_pages(self->fd, 0, 0),
			  self->nr_pages / down.step * cache_unit(self->fd));
	}
}

/* The tool for the command line. */
static int walk_file(int argc, char **argv)
{
	const char *name = argv[1];
	struct walk w = { .step = 1, .down = true };
	int advice = MADV_NORMAL;
	struct walk_result result;
	struct stat st;
	char *map;
	int fd;

	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "normal"))
			advice = MADV_NORMAL;
		else if (!strcmp(argv[i], "seq"))
			advice = MADV_SEQUENTIAL;
		else if (!strcmp(argv[i], "huge"))
			advice = MADV_HUGEPAGE;
		else if (!strcmp(argv[i], "up"))
			w.down = false;
		else
			errx(KSFT_FAIL, "'%s'? Usage: %s FILE [normal|seq|huge] [up]",
			     argv[i], argv[0]);
	}

	fd = open(name, O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		err(KSFT_FAIL, "%s", name);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		errx(KSFT_FAIL, "%s: not a regular file with something in it",
		     name);
	if (fsync(fd))
		err(KSFT_FAIL, "%s: fsync", name);
	if (!drop_cache(fd))
		errx(KSFT_FAIL, "%s: stays in the page cache: in use, on tmpfs, or not yours?",
		     name);

	w.nr = nr_file_pages(fd);
	map = map_file(fd, 0, w.nr, advice);
	if (map == MAP_FAILED)
		err(KSFT_FAIL, "%s: mmap and madvise", name);
	result = walk(map, &w);
	printf("major faults: %ld\n", result.majflt);
	return KSFT_PASS;
}

int main(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] != '-')
		return walk_file(argc, argv);

	find_readahead();
	return test_harness_run(argc, argv);
}
