/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of readahead have in common. */
#ifndef __READAHEAD_UTIL_H__
#define __READAHEAD_UTIL_H__

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A reader that is followed waits for its first page, when nothing is known
 * of it, and once more when its direction shows. The third is a spare.
 */
#define MAX_MAJFLT	3

/* Reading 64 MiB page by page, and waiting for each, takes a while. */
#define WALK_TIMEOUT	300

/* The read_ahead_kb of the device under the file; no path if not known. */
struct readahead_kb {
	char path[64];
	unsigned long saved;
	unsigned long now;
	bool writable;
};

extern struct readahead_kb ra_kb;

/* Of @nr pages from file page @first on, touch every @step-th. */
struct walk {
	long first;
	long nr;
	long step;
	bool down;
};

struct walk_result {
	long majflt;
	long wrong;	/* pages that do not hold their page_data() */
};

static inline long min(long a, long b)
{
	return a < b ? a : b;
}

static inline long max(long a, long b)
{
	return a > b ? a : b;
}

/* Every word of a page says which page it is; none is like those of a hole. */
static inline uint64_t page_data(long page)
{
	return page + 1;
}

const char *test_dir(void);

void find_readahead(void);
void write_readahead(unsigned long kb);
bool set_readahead(unsigned int i);

int create_file(long size, const char **skip);
int reopen_file(int fd);
bool fill(int fd, long first, long nr);
long nr_file_pages(int fd);

long cached_pages(int fd, long first, long nr);
long cache_unit(int fd);
bool drop_cache(int fd);

char *find_address(long first, long nr);
char *map_file(int fd, long first, long nr, int advice);

long major_faults(void);
void print_count(const char *what, long majflt);
struct walk_result walk(const char *map, const struct walk *w);

#endif /* __READAHEAD_UTIL_H__ */
