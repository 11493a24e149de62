// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readahead that a page fault starts stays inside what the process maps of the
 * file around the fault.
 *
 * That is the run of mappings: the VMA of the fault, and its neighbours in the
 * order of addresses, as long as they map the same file and leave no hole in it.
 * So an ELF file of a few tiny segments still comes in with one read, and what
 * nobody maps does not: padding between segments, a payload behind them, the
 * tensors beside the one that is mapped.
 *
 * What is asserted is which pages come into the page cache (cachestat(2), or
 * mincore(2) where the kernel lacks it), and how often a reader waits for the
 * device (major faults). Never how long it takes. A part of a file is read like
 * a file of its own, so the bound may cost no waiting. Each case starts with a
 * page cache that is seen to hold nothing of the file.
 *
 * The file is created in $READAHEAD_DIR, else in $TMPDIR, else in the current
 * directory, and unlinked at once. It has to be on a file system that reads
 * ahead (not tmpfs). As root, read_ahead_kb is set to several sizes, and put
 * back at the end; else the cases that fit the current one are done.
 *
 * In the drawings a letter is a VMA; "addresses" are those of the process, and
 * "file" is what of the file they map. A dot is nothing, or a hole.
 */

#define _GNU_SOURCE
#include "kselftest_harness.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "readahead_util.h"
#include "vm_util.h"

#define KiB		1024L
#define MiB		(1024 * KiB)

#define FILE_SIZE	(64 * MiB)

static int create_test_file(struct __test_metadata *_metadata, long size)
{
	const char *skip;
	int fd = create_file(size, &skip);

	if (skip)
		SKIP(return -1, "%s", skip);
	ASSERT_GE(fd, 0)
		TH_LOG("%s: a file of %ld MiB: %s; READAHEAD_DIR may name another directory",
		       test_dir(), size / MiB, strerror(errno));
	return fd;
}

static void expect_cold(struct __test_metadata *_metadata, int fd)
{
	ASSERT_TRUE(drop_cache(fd));
	ASSERT_EQ(cached_pages(fd, 0, 0), 0);
}

/*
 * How many pages are cached that are not among the @nr from page @first on?
 * Where a block is larger than a page, the rest of a block does not count.
 */
static long cached_outside(int fd, long first, long nr)
{
	const long unit = cache_unit(fd);
	const long start = first / unit * unit;
	const long end = (first + nr + unit - 1) / unit * unit;

	return cached_pages(fd, 0, 0) - cached_pages(fd, start, end - start);
}

/*
 * Readers of a part of a file, for each advice and direction.
 */
FIXTURE(bound)
{
	int fd;
	long nr_pages;
};

FIXTURE_VARIANT(bound)
{
	int advice;
	bool down;
};

FIXTURE_VARIANT_ADD(bound, normal_up)
{
	.advice = MADV_NORMAL,
};

FIXTURE_VARIANT_ADD(bound, normal_down)
{
	.advice = MADV_NORMAL,
	.down = true,
};

FIXTURE_VARIANT_ADD(bound, sequential_up)
{
	.advice = MADV_SEQUENTIAL,
};

FIXTURE_VARIANT_ADD(bound, sequential_down)
{
	.advice = MADV_SEQUENTIAL,
	.down = true,
};

/* Where the file system has no large folios, the same as normal. */
FIXTURE_VARIANT_ADD(bound, huge_up)
{
	.advice = MADV_HUGEPAGE,
};

FIXTURE_VARIANT_ADD(bound, huge_down)
{
	.advice = MADV_HUGEPAGE,
	.down = true,
};

FIXTURE_SETUP(bound)
{
	if (variant->advice == MADV_HUGEPAGE &&
	    access("/sys/kernel/mm/transparent_hugepage", F_OK))
		SKIP(return, "no transparent huge pages");
	self->nr_pages = FILE_SIZE / psize();
	self->fd = create_test_file(_metadata, FILE_SIZE);
}

FIXTURE_TEARDOWN(bound)
{
	close(self->fd);
}

/* Map the @nr pages from page @first on, with nothing of the file cached. */
static char *map_cold(struct __test_metadata *_metadata, int fd, long first,
		      long nr, int advice)
{
	char *map;

	expect_cold(_metadata, fd);
	map = map_file(fd, first, nr, advice);
	ASSERT_NE(map, MAP_FAILED)
		TH_LOG("mmap and madvise: %s", strerror(errno));
	return map;
}

/*
 * A walk of all that is mapped gets it whole, waits no more often than in a file
 * of that size, and reads nothing else.
 *
 *	file  |  .  .  .  | mapped |  .  .  .  |
 *	                  -> or <-
 */
static void walk_part(struct __test_metadata *_metadata, int fd, int advice,
		      const struct walk *part)
{
	char *map = map_cold(_metadata, fd, part->first, part->nr, advice);
	struct walk_result result = walk(map - part->first * psize(), part);

	EXPECT_EQ(result.wrong, 0);
	EXPECT_EQ(cached_pages(fd, part->first, part->nr), part->nr);
	EXPECT_EQ(cached_outside(fd, part->first, part->nr), 0)
		TH_LOG("%ld pages from page %ld, read_ahead_kb %lu: read outside of it",
		       part->nr, part->first, ra_kb.now);
	EXPECT_LE(result.majflt, MAX_MAJFLT)
		TH_LOG("%ld pages from page %ld, read_ahead_kb %lu: major faults",
		       part->nr, part->first, ra_kb.now);
	ASSERT_EQ(munmap(map, part->nr * psize()), 0);
}

TEST_F_TIMEOUT(bound, part, WALK_TIMEOUT)
{
	const long sizes[] = {
		1, 5, MiB / psize(), MiB / psize() + 7, 16 * MiB / psize(),
	};

	for (int i = 0; set_readahead(i); i++) {
		for (unsigned int s = 0; s < ARRAY_SIZE(sizes); s++) {
			/* The start, the middle, aligned and not, the end. */
			const long firsts[] = {
				0,
				3 * MiB / psize() + 1,
				self->nr_pages / 2,
				self->nr_pages / 2 + 7,
				self->nr_pages - sizes[s],
			};

			for (unsigned int f = 0; f < ARRAY_SIZE(firsts); f++) {
				const struct walk part = {
					.first = firsts[f],
					.nr = sizes[s],
					.step = 1,
					.down = variant->down,
				};

				walk_part(_metadata, self->fd, variant->advice,
					  &part);
			}
		}
	}
}

/*
 * Nor do random touches read anything else: in an order that visits each place
 * once, or in its mirror image.
 */
TEST_F_TIMEOUT(bound, random, WALK_TIMEOUT)
{
	const long sizes[] = { MiB / psize(), 16 * MiB / psize() + 7 };
	const long first = 3 * MiB / psize() + 1;
	const long touches = 50;

	for (int i = 0; set_readahead(i); i++) {
		for (unsigned int s = 0; s < ARRAY_SIZE(sizes); s++) {
			const long nr = sizes[s];
			char *map = map_cold(_metadata, self->fd, first, nr,
					     variant->advice);

			for (long t = 0; t < touches; t++) {
				long page = (t * 37 + 29) % touches * nr / touches;

				if (variant->down)
					page = nr - 1 - page;
				FORCE_READ(map[page * psize()]);
			}
			EXPECT_GT(cached_pages(self->fd, first, nr), 0);
			EXPECT_EQ(cached_outside(self->fd, first, nr), 0)
				TH_LOG("%ld pages, read_ahead_kb %lu: read outside of the part",
				       nr, ra_kb.now);
			ASSERT_EQ(munmap(map, nr * psize()), 0);
		}
	}
}

/*
 * Several VMAs map the file but for holes, as the segments of an ELF file for
 * many page sizes do. The holes stay unread, whatever is at their addresses:
 *
 *	file                 |  A  |.|  B  |.|  C  |.|  D  |
 *
 *	addresses: adjacent  |  A  |  B  |  C  |  D  |
 *	           apart     |  A  |.|  B  |.|  C  |.|  D  |
 *	           reserved  |  A  |N|  B  |N|  C  |N|  D  |
 *
 * N are PROT_NONE mappings of the hole, as dynamic linkers leave them. A walk
 * of each VMA takes no more major faults than one of a file of its size.
 */
#define NR_PARTS	4

TEST_F_TIMEOUT(bound, holes, WALK_TIMEOUT)
{
	static const char * const layouts[] = { "adjacent", "apart", "reserved" };
	const long nr = 512 * KiB / psize();
	const long hole = max(48 * KiB / psize(), cache_unit(self->fd));
	const long first = MiB / psize();
	const long all = NR_PARTS * (nr + hole) - hole;

	for (int i = 0; set_readahead(i); i++) {
		for (unsigned int l = 0; l < ARRAY_SIZE(layouts); l++) {
			const long distance = l ? nr + hole : nr;
			struct walk_result result = {};
			char *map = find_address(first, all);
			int fd = reopen_file(self->fd);

			ASSERT_NE(map, MAP_FAILED);
			ASSERT_GE(fd, 0);
			expect_cold(_metadata, self->fd);
			if (l == 2)
				ASSERT_EQ(mmap(map, all * psize(), PROT_NONE,
					       MAP_PRIVATE | MAP_FIXED, fd,
					       first * psize()), map);
			for (long p = 0; p < NR_PARTS; p++) {
				char *at = map + p * distance * psize();

				ASSERT_EQ(mmap(at, nr * psize(), PROT_READ,
					       MAP_PRIVATE | MAP_FIXED, fd,
					       (first + p * (nr + hole)) *
					       psize()), at);
				ASSERT_EQ(madvise(at, nr * psize(),
						  variant->advice), 0);
			}
			close(fd);

			for (long p = 0; p < NR_PARTS; p++) {
				const long part = variant->down ?
						  NR_PARTS - 1 - p : p;
				const struct walk w = {
					.first = first + part * (nr + hole),
					.nr = nr,
					.step = 1,
					.down = variant->down,
				};

				result = walk(map + (part * distance - w.first) *
					      psize(), &w);
				EXPECT_EQ(result.wrong, 0);
				EXPECT_LE(result.majflt, MAX_MAJFLT)
					TH_LOG("%s, VMA %ld, read_ahead_kb %lu: major faults",
					       layouts[l], part, ra_kb.now);
				EXPECT_EQ(cached_pages(self->fd, w.first, nr), nr);
			}
			EXPECT_EQ(cached_pages(self->fd, 0, 0), NR_PARTS * nr)
				TH_LOG("%s, read_ahead_kb %lu: pages cached that are not mapped",
				       layouts[l], ra_kb.now);
			ASSERT_EQ(munmap(map, all * psize()), 0);
		}
	}
}

/*
 * A mapping that is split into many VMAs is read as if it were one, up to where
 * the last one ends. Of those that are small there are many within a window.
 *
 *	file  |  .  .  | r | rw | r | rw |  ...  | r | rw |  .  .  |
 */
TEST_F_TIMEOUT(bound, split, WALK_TIMEOUT)
{
	const long vma = 96 * KiB / psize();
	const struct walk part = {
		.first = 3 * MiB / psize(),
		.nr = 160 * vma,
		.step = 1,
		.down = variant->down,
	};
	const size_t len = part.nr * psize();

	for (int i = 0; set_readahead(i); i++) {
		struct walk_result whole, split;
		char *map;

		map = map_cold(_metadata, self->fd, part.first, part.nr,
			       variant->advice);
		whole = walk(map - part.first * psize(), &part);
		ASSERT_EQ(munmap(map, len), 0);

		map = map_cold(_metadata, self->fd, part.first, part.nr,
			       variant->advice);
		for (long page = vma; page < part.nr; page += 2 * vma)
			ASSERT_EQ(mprotect(map + page * psize(), vma * psize(),
					   PROT_READ | PROT_WRITE), 0);
		split = walk(map - part.first * psize(), &part);

		print_count("whole", whole.majflt);
		print_count("split", split.majflt);
		EXPECT_EQ(whole.wrong + split.wrong, 0);
		EXPECT_LE(split.majflt, whole.majflt + whole.majflt / 10 + 1);
		EXPECT_EQ(cached_pages(self->fd, part.first, part.nr), part.nr);
		EXPECT_EQ(cached_outside(self->fd, part.first, part.nr), 0)
			TH_LOG("read_ahead_kb %lu: read outside of what is mapped",
			       ra_kb.now);
		ASSERT_EQ(munmap(map, len), 0);
	}
}

/*
 * What is a run? One touch, in a window that is larger than all the mappings
 * together, shows it. All is counted in units: a page, or a block where blocks
 * are larger than pages. The file goes on for long below and above.
 */
#define WINDOW		32
#define AREA		128
#define RUN_FILE_SIZE	(16 * MiB)

FIXTURE(run)
{
	int fd;
	int map_fd;	/* the struct file of the mappings */
	long unit;	/* pages */
	char *area;	/* of AREA units, where the mappings are made */
};

FIXTURE_SETUP(run)
{
	unsigned long kb;

	self->fd = create_test_file(_metadata, RUN_FILE_SIZE);
	if (self->fd < 0)
		return;
	self->unit = cache_unit(self->fd);
	kb = WINDOW * self->unit * psize() / KiB;
	if (ra_kb.writable)
		write_readahead(kb);
	if (ra_kb.now < kb)
		SKIP(return, "read_ahead_kb may not be set, and is less than %lu",
		     kb);

	self->map_fd = reopen_file(self->fd);
	ASSERT_GE(self->map_fd, 0);
	self->area = find_address(0, AREA * self->unit);
	ASSERT_NE(self->area, MAP_FAILED);
	expect_cold(_metadata, self->fd);
}

FIXTURE_TEARDOWN(run)
{
	close(self->map_fd);
	close(self->fd);
}

/* Map the @nr units of @fd from @first on, at the address @at, in units. */
static void map_units(struct __test_metadata *_metadata,
		      FIXTURE_DATA(run) * self, long at, int fd, long first,
		      long nr, int prot, int flags)
{
	const long size = self->unit * psize();

	ASSERT_EQ(mmap(self->area + at * size, nr * size, prot,
		       flags | MAP_FIXED, fd, first * size),
		  self->area + at * size);
}

static void map_read(struct __test_metadata *_metadata,
		     FIXTURE_DATA(run) * self, long at, long first, long nr)
{
	map_units(_metadata, self, at, self->map_fd, first, nr, PROT_READ,
		  MAP_PRIVATE);
}

/* The same with another protection, which makes it a VMA of its own. */
static void map_write(struct __test_metadata *_metadata,
		      FIXTURE_DATA(run) * self, long at, long first, long nr)
{
	map_units(_metadata, self, at, self->map_fd, first, nr,
		  PROT_READ | PROT_WRITE, MAP_PRIVATE);
}

static void map_none(struct __test_metadata *_metadata,
		     FIXTURE_DATA(run) * self, long at, long first, long nr)
{
	map_units(_metadata, self, at, self->map_fd, first, nr, PROT_NONE,
		  MAP_PRIVATE);
}

/* A touch at @at brings in the @nr units of the file from @first on, and no other. */
static void expect_run(struct __test_metadata *_metadata,
		       FIXTURE_DATA(run) * self, long at, long first, long nr)
{
	const long size = self->unit * psize();
	const long pages = nr * self->unit;

	/* Forget what touches before this one have mapped; holes do not matter. */
	madvise(self->area, AREA * size, MADV_DONTNEED);
	expect_cold(_metadata, self->fd);

	FORCE_READ(self->area[at * size]);
	EXPECT_EQ(cached_pages(self->fd, first * self->unit, pages), pages)
		TH_LOG("a touch at %ld: not all of the run", at);
	EXPECT_EQ(cached_outside(self->fd, first * self->unit, pages), 0)
		TH_LOG("a touch at %ld: outside of the run", at);
}

/*
 * One VMA, and the file around it.
 *
 *	file       | . . . | A | . . . |
 */
TEST_F(run, alone)
{
	map_read(_metadata, self, 0, 40, 4);
	expect_run(_metadata, self, 0, 40, 4);
	expect_run(_metadata, self, 3, 40, 4);
}

/*
 * The file goes on in the next VMA, and so does the run.
 *
 *	addresses  | A | B | C |
 *	file       | A | B | C |
 */
TEST_F(run, adjoining)
{
	map_read(_metadata, self, 0, 40, 4);
	map_write(_metadata, self, 4, 44, 4);
	map_read(_metadata, self, 8, 48, 4);
	for (long at = 0; at < 12; at++)
		expect_run(_metadata, self, at, 40, 12);
}

/*
 * The data of an ELF file begins in the page in which its text ends: that page
 * is mapped twice.
 *
 *	addresses  | A   | B   |
 *	file       | A   |
 *	               | B   |
 */
TEST_F(run, overlapping)
{
	map_read(_metadata, self, 0, 40, 4);
	map_write(_metadata, self, 4, 43, 4);
	expect_run(_metadata, self, 3, 40, 7);
	expect_run(_metadata, self, 4, 40, 7);
}

/*
 * A gap in the address space is none in the file.
 *
 *	addresses  | A | . . . . | B |
 *	file       | A | B |
 */
TEST_F(run, address_gap)
{
	map_read(_metadata, self, 0, 40, 4);
	map_read(_metadata, self, 64, 44, 4);
	expect_run(_metadata, self, 3, 40, 8);
	expect_run(_metadata, self, 64, 40, 8);
}

/*
 * The order in the file may be another one than that of addresses.
 *
 *	addresses  | B | A |
 *	file       | A | B |
 */
TEST_F(run, other_order)
{
	map_read(_metadata, self, 4, 40, 4);
	map_read(_metadata, self, 0, 44, 4);
	expect_run(_metadata, self, 4, 40, 8);
	expect_run(_metadata, self, 3, 40, 8);
}

/*
 * What a dynamic linker leaves between segments is looked past.
 *
 *	addresses  | A | PROT_NONE | B |
 *	file       | A | B | . . . | PROT_NONE |
 */
TEST_F(run, prot_none_between)
{
	map_read(_metadata, self, 0, 40, 4);
	map_none(_metadata, self, 4, 60, 12);
	map_read(_metadata, self, 16, 44, 4);
	expect_run(_metadata, self, 3, 40, 8);
	expect_run(_metadata, self, 16, 40, 8);
}

/*
 * But it is not read, since it cannot be, and so may be a hole.
 *
 *	addresses  | A | PROT_NONE | B |
 *	file       | A | PROT_NONE | B |
 */
TEST_F(run, prot_none)
{
	map_read(_metadata, self, 0, 40, 4);
	map_none(_metadata, self, 4, 44, 4);
	expect_run(_metadata, self, 3, 40, 4);

	map_read(_metadata, self, 8, 48, 4);
	expect_run(_metadata, self, 3, 40, 4);
	expect_run(_metadata, self, 8, 48, 4);
}

/*
 * Shared or private, it is the same file.
 *
 *	addresses  | MAP_SHARED | MAP_PRIVATE |
 *	file       | MAP_SHARED | MAP_PRIVATE |
 */
TEST_F(run, shared_and_private)
{
	map_units(_metadata, self, 0, self->map_fd, 40, 4, PROT_READ, MAP_SHARED);
	map_read(_metadata, self, 4, 44, 4);
	expect_run(_metadata, self, 3, 40, 8);
	expect_run(_metadata, self, 4, 40, 8);
}

/*
 * A hole in the file ends the run, however near the addresses are.
 *
 *	addresses  | A | B |
 *	file       | A | . | B |
 */
TEST_F(run, hole)
{
	map_read(_metadata, self, 0, 40, 4);
	map_read(_metadata, self, 4, 45, 4);
	expect_run(_metadata, self, 3, 40, 4);
	expect_run(_metadata, self, 4, 45, 4);
}

/*
 * So does anonymous memory between the two: whoever put it there did not lay
 * them out as one.
 *
 *	addresses  | A | anonymous | B |
 *	file       | A | B |
 */
TEST_F(run, anonymous_between)
{
	map_read(_metadata, self, 0, 40, 4);
	map_units(_metadata, self, 4, -1, 0, 4, PROT_READ,
		  MAP_PRIVATE | MAP_ANONYMOUS);
	map_read(_metadata, self, 8, 44, 4);
	expect_run(_metadata, self, 3, 40, 4);
	expect_run(_metadata, self, 8, 44, 4);
}

/*
 * And another file.
 *
 *	addresses  | A | other file | B |
 *	file       | A | B |
 */
TEST_F(run, other_file_between)
{
	int fd = memfd_create("other", 0);

	if (fd < 0)
		SKIP(return, "no memfd_create(2)");
	ASSERT_EQ(ftruncate(fd, RUN_FILE_SIZE), 0);
	map_read(_metadata, self, 0, 40, 4);
	map_units(_metadata, self, 4, fd, 44, 4, PROT_READ, MAP_SHARED);
	map_read(_metadata, self, 8, 44, 4);
	close(fd);
	expect_run(_metadata, self, 3, 40, 4);
	expect_run(_metadata, self, 8, 44, 4);
}

/*
 * A run of more VMAs than there are pages in a window, which goes on where we
 * do not look, is no bound: a window is read as ever, with the bound or without.
 *
 *	addresses  | A | B | A | B | A |  ...  | B |
 *	file       | A | B | A | B | A |  ...  | B |
 */
TEST_F(run, long_run)
{
	for (long at = 0; at < AREA; at += 2) {
		map_read(_metadata, self, at, 40 + at, 1);
		map_write(_metadata, self, at + 1, 41 + at, 1);
	}
	if (ra_kb.now != WINDOW * self->unit * psize() / KiB)
		SKIP(return, "read_ahead_kb may not be set");
	expect_run(_metadata, self, AREA / 2, 40 + AREA / 2 - WINDOW / 2, WINDOW);
}

/*
 * An ELF file as the kernel and dynamic linkers map it, one page of it twice,
 * and a payload behind it: that of an AppImage, or debug information.
 *
 *	addresses  | headers | text | rodata | data  |
 *	file       | headers | text | rodata |
 *	                                    | data  |  payload  . . . |
 *
 * The same with padding between the segments, in files for many page sizes:
 *
 *	file       | headers |.| text |.| rodata |.| data | payload . . . |
 *
 * The segments are of 24 KiB, the padding of 64 KiB, if pages are of 4 KiB.
 */
struct segment {
	long at;
	long first;
	int prot;
};

#define NR_SEGMENTS	4
#define SEGMENT		6
#define TEXT		1
#define DATA		3
#define ELF_END		23

static const struct segment elf[NR_SEGMENTS] = {
	{ 0, 0, PROT_READ },
	{ 6, 6, PROT_READ | PROT_EXEC },
	{ 12, 12, PROT_READ },
	{ 18, 17, PROT_READ | PROT_WRITE },
};

static const struct segment padded_elf[NR_SEGMENTS] = {
	{ 0, 0, PROT_READ },
	{ 22, 22, PROT_READ | PROT_EXEC },
	{ 44, 44, PROT_READ },
	{ 66, 66, PROT_READ | PROT_WRITE },
};

/* Reserve all of it, take away what is padding, put the segments over it. */
static void map_elf(struct __test_metadata *_metadata,
		    FIXTURE_DATA(run) * self, const struct segment *segments)
{
	map_none(_metadata, self, 0, 0, segments[DATA].at + SEGMENT);
	for (int s = 0; s < NR_SEGMENTS; s++)
		map_units(_metadata, self, segments[s].at, self->map_fd,
			  segments[s].first, SEGMENT, segments[s].prot,
			  MAP_PRIVATE);
}

/* Touch every page of a segment. */
static void touch_segment(FIXTURE_DATA(run) * self, const struct segment *s)
{
	force_read_pages(self->area + s->at * self->unit * psize(),
			 SEGMENT * self->unit, psize());
}

/*
 * The first access is to the data, as that of a dynamic linker, and brings in
 * all: no other one waits.
 */
TEST_F(run, elf_data_first)
{
	long majflt;

	map_elf(_metadata, self, elf);
	expect_run(_metadata, self, elf[DATA].at, 0, ELF_END);

	majflt = major_faults();
	for (int s = 0; s < NR_SEGMENTS; s++)
		touch_segment(self, &elf[s]);
	EXPECT_EQ(major_faults() - majflt, 0);
	EXPECT_EQ(cached_outside(self->fd, 0, ELF_END * self->unit), 0);
}

/*
 * The first access is to the text, whose readahead is another one. It may bring
 * in the text alone, so all that is said is what it does not.
 */
TEST_F(run, elf_text_first)
{
	map_elf(_metadata, self, elf);
	expect_cold(_metadata, self->fd);

	touch_segment(self, &elf[TEXT]);
	EXPECT_EQ(cached_pages(self->fd, SEGMENT * self->unit,
			       SEGMENT * self->unit), SEGMENT * self->unit);
	EXPECT_EQ(cached_outside(self->fd, 0, ELF_END * self->unit), 0);

	for (int s = 0; s < NR_SEGMENTS; s++)
		touch_segment(self, &elf[s]);
	EXPECT_EQ(cached_pages(self->fd, 0, ELF_END * self->unit),
		  ELF_END * self->unit);
	EXPECT_EQ(cached_outside(self->fd, 0, ELF_END * self->unit), 0);
}

TEST_F(run, elf_with_padding)
{
	map_elf(_metadata, self, padded_elf);

	/* Each segment is a run. That of the text may come in by parts. */
	for (int s = 0; s < NR_SEGMENTS; s++)
		if (s != TEXT)
			expect_run(_metadata, self, padded_elf[s].at,
				   padded_elf[s].first, SEGMENT);

	/* The segments are all that comes in. */
	for (int s = 0; s < NR_SEGMENTS; s++)
		touch_segment(self, &padded_elf[s]);
	EXPECT_EQ(cached_pages(self->fd, 0, 0),
		  NR_SEGMENTS * SEGMENT * self->unit);
}

#define ELF_BASE	0x400000

/*
 * Make the file a program for x86-64 that reads a word at the end of its data,
 * and is done.
 */
static bool write_elf(int fd, long unit)
{
	const long size = unit * psize();
	struct {
		struct elf64_hdr ehdr;
		struct elf64_phdr phdr[NR_SEGMENTS];
	} headers = {
		.ehdr = {
			.e_ident = {
				ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				ELFDATA2LSB, EV_CURRENT,
			},
			.e_type = ET_EXEC,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_entry = ELF_BASE + elf[TEXT].at * size,
			.e_phoff = sizeof(struct elf64_hdr),
			.e_ehsize = sizeof(struct elf64_hdr),
			.e_phentsize = sizeof(struct elf64_phdr),
			.e_phnum = NR_SEGMENTS,
		},
	};
	unsigned char code[] = {
		0x8b, 0x04, 0x25, 0, 0, 0, 0,	/* mov word, %eax */
		0xb8, 60, 0, 0, 0,		/* mov $__NR_exit, %eax */
		0x31, 0xff,			/* xor %edi, %edi */
		0x0f, 0x05,			/* syscall */
	};
	const uint32_t word = ELF_BASE + (elf[DATA].at + SEGMENT) * size - 8;

	memcpy(code + 3, &word, sizeof(word));
	for (int s = 0; s < NR_SEGMENTS; s++)
		headers.phdr[s] = (struct elf64_phdr) {
			.p_type = PT_LOAD,
			.p_flags = (elf[s].prot & PROT_READ ? PF_R : 0) |
				   (elf[s].prot & PROT_WRITE ? PF_W : 0) |
				   (elf[s].prot & PROT_EXEC ? PF_X : 0),
			.p_offset = elf[s].first * size,
			.p_vaddr = ELF_BASE + elf[s].at * size,
			.p_paddr = ELF_BASE + elf[s].at * size,
			.p_filesz = SEGMENT * size,
			.p_memsz = SEGMENT * size,
			.p_align = psize(),
		};

	return pwrite(fd, &headers, sizeof(headers), 0) == sizeof(headers) &&
	       pwrite(fd, code, sizeof(code), elf[TEXT].first * size) ==
	       sizeof(code) &&
	       !fchmod(fd, 0700) && !fsync(fd);
}

/*
 * The same with a real program. The kernel reads the headers as read(2) would,
 * which reads ahead a little, but not as far as the payload.
 */
TEST_F(run, exec)
{
	char * const args[] = { "elf", NULL }, * const env[] = { NULL };
	int status = -1;
	pid_t pid;

#ifndef __x86_64__
	SKIP(return, "there is no program for this architecture");
#endif
	ASSERT_TRUE(write_elf(self->fd, self->unit));

	/* A file that is open for writing is not executed. */
	close(self->fd);
	self->fd = dup(self->map_fd);
	ASSERT_GE(self->fd, 0);
	expect_cold(_metadata, self->fd);

	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		fexecve(self->map_fd, args, env);
		_exit(errno == EACCES ? KSFT_SKIP : KSFT_FAIL);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == KSFT_SKIP)
		SKIP(return, "%s: nothing may be executed", test_dir());
	EXPECT_EQ(status, 0);
	EXPECT_GT(cached_pages(self->fd, elf[TEXT].first * self->unit,
			       SEGMENT * self->unit), 0);
	EXPECT_EQ(cached_outside(self->fd, 0, ELF_END * self->unit), 0);
}

/* For loops over two sizes of the window; true if there is an @i-th. */
static bool set_window(FIXTURE_DATA(run) * self, int i)
{
	if (i && ra_kb.writable)
		write_readahead(8 * WINDOW * self->unit * psize() / KiB);
	return i < (ra_kb.writable ? 2 : 1);
}

/* In pages, a multiple of a few blocks. */
static long window_pages(FIXTURE_DATA(run) * self)
{
	const long pages = ra_kb.now * KiB / psize();

	return pages - pages % (4 * self->unit);
}

/* By read(2), page by page. */
static bool read_pages(int fd, long first, long nr)
{
	char *buf = malloc(psize());
	bool ok = buf;

	for (long page = first; ok && page < first + nr; page++)
		ok = pread(fd, buf, psize(), (off_t)page * psize()) == psize();
	free(buf);
	return ok;
}

/*
 * A fault reads a window, and leaves a marker in it. A read(2) that meets the
 * marker is not bound to what others map.
 *
 *	file  | . . . |  first window    m   |    | . . . . . . .
 *	              `------- mapped -----------'
 *	              -- read(2) -------->|   next window     |
 *
 * The descriptor of the read may be that of the mapping, or another one. This
 * is so without the bound, and has to stay.
 */
TEST_F(run, read_meets_marker_of_fault)
{
	for (int i = 0; set_window(self, i); i++) {
		const long window = window_pages(self);
		const long first = 2 * window;
		const long nr = window + window / 4;

		for (int same = 0; same < 2; same++) {
			const int map_fd = reopen_file(self->fd);
			const int fd = same ? dup(map_fd) :
					      reopen_file(self->fd);
			char *map;

			ASSERT_GE(map_fd, 0);
			ASSERT_GE(fd, 0);
			expect_cold(_metadata, self->fd);
			map = mmap(NULL, nr * psize(), PROT_READ, MAP_PRIVATE,
				   map_fd, first * psize());
			ASSERT_NE(map, MAP_FAILED);

			FORCE_READ(map[window / 2 * psize()]);
			EXPECT_EQ(cached_pages(self->fd, first, window), window);
			EXPECT_EQ(cached_outside(self->fd, first, nr), 0);

			/* All that is read is cached: only the marker counts. */
			ASSERT_TRUE(read_pages(fd, first, window));
			EXPECT_GT(cached_outside(self->fd, first, nr), 0)
				TH_LOG("%s descriptor, window of %ld pages: read(2) is bound",
				       same ? "the same" : "another", window);

			ASSERT_EQ(munmap(map, nr * psize()), 0);
			close(fd);
			close(map_fd);
		}
	}
}

/*
 * The reverse: a read(2) reads ahead and leaves a marker; a fault meets it in a
 * mapping that ends inside of what has been read ahead. There is nothing to be
 * read then. It is, if the mapping goes on. Return how many pages have been.
 *
 *	file  |  read by read(2)   |m   ahead     | . . . . . . .
 *	      `-------- mapped ----------------'
 *	      `-------- mapped ---------------------------------'
 */
static long read_then_fault(struct __test_metadata *_metadata,
			    FIXTURE_DATA(run) * self, bool same, bool goes_on)
{
	const int map_fd = reopen_file(self->fd);
	const int fd = same ? dup(map_fd) : reopen_file(self->fd);
	struct walk w = { .step = 1 };
	long cached, nr;
	char *map;

	ASSERT_GE(map_fd, 0);
	ASSERT_GE(fd, 0);
	expect_cold(_metadata, self->fd);
	ASSERT_TRUE(read_pages(fd, 0, window_pages(self)));
	cached = cached_pages(self->fd, 0, 0);
	ASSERT_GT(cached, window_pages(self) + self->unit);

	w.nr = cached - self->unit;
	nr = goes_on ? nr_file_pages(self->fd) : w.nr;
	map = mmap(NULL, nr * psize(), PROT_READ, MAP_PRIVATE, map_fd, 0);
	ASSERT_NE(map, MAP_FAILED);
	EXPECT_EQ(walk(map, &w).wrong, 0);
	ASSERT_EQ(munmap(map, nr * psize()), 0);
	close(fd);
	close(map_fd);
	return cached_pages(self->fd, 0, 0) - cached;
}

TEST_F(run, fault_meets_marker_of_read)
{
	for (int i = 0; set_window(self, i); i++) {
		for (int same = 0; same < 2; same++) {
			EXPECT_EQ(read_then_fault(_metadata, self, same, false), 0)
				TH_LOG("read_ahead_kb %lu: read outside of what is mapped",
				       ra_kb.now);
			EXPECT_GT(read_then_fault(_metadata, self, same, true), 0)
				TH_LOG("read_ahead_kb %lu: the marker is lost",
				       ra_kb.now);
		}
	}
}

/*
 * What is asked for by name is read, be it mapped or not, through whatever
 * descriptor.
 *
 *	file  | . . . | A | . . . | asked for | . . . |
 */
TEST_F(run, explicit)
{
	const long size = self->unit * psize();

	map_read(_metadata, self, 0, 40, 4);
	expect_run(_metadata, self, 0, 40, 4);

	ASSERT_EQ(posix_fadvise(self->map_fd, 100 * size, 16 * size,
				POSIX_FADV_WILLNEED), 0);
	EXPECT_EQ(cached_pages(self->fd, 100 * self->unit, 16 * self->unit),
		  16 * self->unit);

	ASSERT_EQ(readahead(self->map_fd, 200 * size, 16 * size), 0);
	EXPECT_EQ(cached_pages(self->fd, 200 * self->unit, 16 * self->unit),
		  16 * self->unit);

	/* Nothing but these has been read. */
	EXPECT_EQ(cached_pages(self->fd, 0, 0), (4 + 16 + 16) * self->unit);
}

/*
 * MADV_POPULATE_READ is many faults. It gets all that it is asked for.
 */
TEST_F(run, populate)
{
	const long first = 3 * MiB / psize() + 1, nr = MiB / psize() + 7;
	char *map = map_cold(_metadata, self->fd, first, nr, MADV_NORMAL);

	if (madvise(map, nr * psize(), MADV_POPULATE_READ) && errno == EINVAL)
		SKIP(return, "no MADV_POPULATE_READ");
	EXPECT_EQ(cached_pages(self->fd, first, nr), nr);
	EXPECT_EQ(cached_outside(self->fd, first, nr), 0);
}

int main(int argc, char **argv)
{
	find_readahead();
	return test_harness_run(argc, argv);
}
