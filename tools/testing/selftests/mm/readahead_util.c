// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "readahead_util.h"
#include "vm_util.h"

struct readahead_kb ra_kb;

const char *test_dir(void)
{
	const char *dir = getenv("READAHEAD_DIR") ?: getenv("TMPDIR");

	return dir && *dir ? dir : ".";
}

static void restore_readahead(void)
{
	write_sysfs(ra_kb.path, ra_kb.saved);
}

/*
 * Find read_ahead_kb, and have it put back when this process ends: by then the
 * tests are over, be it that they passed, failed, died or were timed out.
 */
void find_readahead(void)
{
	/* A disk has a bdi; a partition uses that of the disk it is on. */
	static const char * const paths[] = {
		"/sys/class/bdi/%u:%u/read_ahead_kb",
		"/sys/dev/block/%u:%u/../bdi/read_ahead_kb",
	};
	struct stat st;

	if (stat(test_dir(), &st))
		return;

	for (unsigned int i = 0; i < ARRAY_SIZE(paths); i++) {
		snprintf(ra_kb.path, sizeof(ra_kb.path), paths[i],
			 major(st.st_dev), minor(st.st_dev));
		if (access(ra_kb.path, R_OK) ||
		    read_sysfs(ra_kb.path, &ra_kb.saved))
			continue;

		ra_kb.now = ra_kb.saved;
		ra_kb.writable = !access(ra_kb.path, W_OK);
		if (ra_kb.writable)
			atexit(restore_readahead);
		return;
	}
	ra_kb.path[0] = '\0';
}

/* The test fails here if that does not work. */
void write_readahead(unsigned long kb)
{
	if (write_sysfs(ra_kb.path, kb) || read_sysfs(ra_kb.path, &ra_kb.now))
		errx(KSFT_FAIL, "%s may not be set", ra_kb.path);
	if (ra_kb.now != kb)
		errx(KSFT_FAIL, "%s: set to %lu, but is %lu", ra_kb.path, kb,
		     ra_kb.now);
}

/*
 * For loops over the sizes of readahead: set the i-th, and say whether there is
 * one. Where it may not be set there is only the current one.
 */
bool set_readahead(unsigned int i)
{
	static const unsigned long sizes_kb[] = { 128, 1024, 8192 };

	if (!ra_kb.writable)
		return i == 0;
	if (i >= ARRAY_SIZE(sizes_kb))
		return false;

	write_readahead(sizes_kb[i]);
	return true;
}

/*
 * Create a file of @size bytes in test_dir(), and see that what the tests are
 * about can be seen with it: if not, @skip says why. Else it is NULL, and -1 is
 * an error.
 */
int create_file(long size, const char **skip)
{
	static char why[PATH_MAX + 80];
	const long nr_pages = size / psize();
	char path[PATH_MAX];
	int fd;

	*skip = why;
	if (ra_kb.path[0] && !ra_kb.now && !ra_kb.writable) {
		snprintf(why, sizeof(why), "%s is 0 and may not be set",
			 ra_kb.path);
		return -1;
	}

	*skip = NULL;
	snprintf(path, sizeof(path), "%s/readahead_XXXXXX", test_dir());
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	unlink(path);

	if (!fill(fd, 0, nr_pages))
		goto close;

	*skip = why;
	/* DAX bypasses the page cache, and a small memcg does not hold it. */
	if (cached_pages(fd, 0, nr_pages) != nr_pages) {
		snprintf(why, sizeof(why),
			 "%s: written pages are not in the page cache",
			 test_dir());
		goto close;
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (cached_pages(fd, 0, nr_pages) == nr_pages) {
		snprintf(why, sizeof(why),
			 "%s: nothing can be dropped from the page cache (tmpfs?)",
			 test_dir());
		goto close;
	}

	*skip = NULL;
	return fd;

close:
	close(fd);
	return -1;
}

/*
 * A new struct file for the same file, which knows neither a read_ahead_kb that
 * has been changed since nor what has been read before.
 */
int reopen_file(int fd)
{
	char path[sizeof("/proc/self/fd/") + 12];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY);
}

/* Write the @nr pages from page @first on, to the disk. */
bool fill(int fd, long first, long nr)
{
	const long words = psize() / sizeof(uint64_t);
	const long batch = (1L << 20) / psize();
	uint64_t *buf = malloc(batch * psize());
	bool ok = buf;

	while (ok && nr) {
		long pages = min(nr, batch);
		ssize_t len = pages * psize();

		for (long i = 0; i < pages * words; i++)
			buf[i] = page_data(first + i / words);
		ok = pwrite(fd, buf, len, (off_t)first * psize()) == len;
		first += pages;
		nr -= pages;
	}
	free(buf);
	return ok && !fsync(fd);
}

long nr_file_pages(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return 0;
	return (st.st_size + psize() - 1) / psize();
}

static long mincore_pages(int fd, long first, long nr)
{
	unsigned char *vec = malloc(nr);
	long cached = -1;
	char *map;

	map = mmap(NULL, nr * psize(), PROT_READ, MAP_SHARED, fd,
		   (off_t)first * psize());
	if (vec && map != MAP_FAILED && !mincore(map, nr * psize(), vec)) {
		cached = 0;
		for (long i = 0; i < nr; i++)
			cached += vec[i] & 1;
	}
	if (map != MAP_FAILED)
		munmap(map, nr * psize());
	free(vec);
	return cached;
}

/*
 * How many of the @nr pages from page @first on are in the page cache? With
 * @nr 0, of all from @first on, which may be beyond the end. -1 if unknown.
 */
long cached_pages(int fd, long first, long nr)
{
	struct cachestat_range range = {
		.off = (uint64_t)first * psize(),
		.len = (uint64_t)nr * psize(),
	};
	long cached, before, end;
	struct cachestat cs;

	if (!syscall(__NR_cachestat, fd, &range, &cs, 0))
		return cs.nr_cache;

	end = nr_file_pages(fd);
	if (nr)
		end = min(end, first + nr);
	nr = end - first;
	if (nr <= 0)
		return 0;

	/* mincore(2) does not tell of what is being read: let that come in. */
	cached = mincore_pages(fd, first, nr);
	do {
		before = cached;
		if (cached != nr)
			usleep(20 * 1000);
		cached = mincore_pages(fd, first, nr);
	} while (cached != before);
	return cached;
}

/*
 * The smallest piece of a file that the page cache holds: a page, or a block
 * where blocks are larger than pages.
 */
long cache_unit(int fd)
{
	struct statvfs st;

	if (fstatvfs(fd, &st) || st.f_bsize < psize())
		return 1;
	return st.f_bsize / psize();
}

/*
 * Empty the page cache of a clean file that nobody maps, and see that it is
 * empty. Pages that are still being read, ahead of a reader that has gone,
 * cannot be dropped: give them time.
 */
bool drop_cache(int fd)
{
	for (int i = 0; i < 500; i++) {
		if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
			return false;
		if (!cached_pages(fd, 0, 0))
			return true;
		usleep(10 * 1000);
	}
	return false;
}

/*
 * Find @nr pages of address space, for a mapping of the file from page @first
 * on: huge pages fit it wherever they fit the file.
 */
char *find_address(long first, long nr)
{
	const size_t len = nr * psize() + 2 * HPAGE_SIZE;
	char *area = mmap(NULL, len, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		return MAP_FAILED;
	munmap(area, len);
	return (char *)(((uintptr_t)area + HPAGE_SIZE - 1) &
			~(HPAGE_SIZE - 1UL)) + first * psize() % HPAGE_SIZE;
}

/*
 * Map the @nr pages from page @first on, with @advice, by a struct file of its
 * own.
 */
char *map_file(int fd, long first, long nr, int advice)
{
	const size_t len = nr * psize();
	char *map = find_address(first, nr);
	int new_fd;

	if (map == MAP_FAILED)
		return MAP_FAILED;
	new_fd = reopen_file(fd);
	if (new_fd < 0)
		return MAP_FAILED;

	map = mmap(map, len, PROT_READ, MAP_PRIVATE | MAP_FIXED, new_fd,
		   (off_t)first * psize());
	close(new_fd);

	if (map != MAP_FAILED && madvise(map, len, advice)) {
		int saved_errno = errno;

		munmap(map, len);
		errno = saved_errno;
		return MAP_FAILED;
	}
	return map;
}

/*
 * Before Linux 6.7 a fault that lets go of the mmap lock counts as a major one
 * of the process, be it only to start a readahead that it does not wait for.
 */
static bool counts_retries(void)
{
	static int old = -1;
	struct utsname name;
	unsigned int version, patchlevel;

	if (old < 0)
		old = !uname(&name) &&
		      sscanf(name.release, "%u.%u", &version, &patchlevel) == 2 &&
		      (version < 6 || (version == 6 && patchlevel < 7));
	return old;
}

/* Those of this process or, where it cannot be told, of all. */
long major_faults(void)
{
	struct rusage usage;
	char name[64];
	long value;
	FILE *f;

	if (!counts_retries()) {
		getrusage(RUSAGE_SELF, &usage);
		return usage.ru_majflt;
	}

	f = fopen("/proc/vmstat", "r");
	while (f && fscanf(f, "%63s %ld", name, &value) == 2) {
		if (!strcmp(name, "pgmajfault")) {
			fclose(f);
			return value;
		}
	}
	errx(KSFT_SKIP, "/proc/vmstat: no pgmajfault");
}

void print_count(const char *what, long majflt)
{
	ksft_print_msg("read_ahead_kb %lu, %s: %ld major faults\n", ra_kb.now,
		       what, majflt);
}

/* @map is the mapping of the whole file, or where that would begin. */
struct walk_result walk(const char *map, const struct walk *w)
{
	struct walk_result result = { .majflt = -major_faults() };
	const long touches = (w->nr + w->step - 1) / w->step;

	for (long i = 0; i < touches; i++) {
		long page = w->first +
			    (w->down ? touches - 1 - i : i) * w->step;
		const uint64_t *word = (uint64_t *)(map + page * psize());

		if (FORCE_READ(*word) != page_data(page))
			result.wrong++;
	}
	result.majflt += major_faults();
	return result;
}
