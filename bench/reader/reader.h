/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reader - read a file in one of many ways, from a cold page cache, and count
 * what that cost. What to do is given as KEY=VALUE, what came of it is printed
 * so, one line a run.
 */
#ifndef READER_H
#define READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../iocount.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MiB		(1L << 20)
#define MAX_THREADS	64
#define MAX_PARTS	16

enum kind { WALK, STREAM, START, HOT, COMMAND };
enum advice { NORMAL, SEQ, HUGE, RAND };
enum pattern { ALONG, CHUNKS, SHUFFLED, DEALT, RANDOM, RUNS, FOOTER, PREAD, POPULATE, WILLNEED };
enum direction { UP, DOWN, MIX };
enum method { READ, MMAP, SENDFILE, URING, OTHER };
enum flag { NONE, NOREUSE, DONTNEED, DONTCACHE };

struct part {
	size_t start, len;
};

/* What main.c has of the command line; its table tells of each */
struct options {
	char *at;
	long kind, advice, ra, mem, lru, seed, threads, size;
	long pattern, dir, stride, count, blocks, chunk, own, split, rest;
	struct part parts[MAX_PARTS];
	int nr_parts;
	long method, use, behind, fadvise, same, used;
	char *program, **command;
	long warm, payload;
};

extern struct options opt;
extern long page_size;
extern const int advice_values[];

void walk(void);
void stream(void);
void start(void);
void hot(void);
void command(void);

/* counts.c: what is looked at before and after */
struct counts {
	long majflt, minflt, refaults, activated;
	struct io_count device;
	long long usec;
};

long long now_usec(void);
/* The counts of this process, or of its children (@who is as of getrusage(2)) */
struct counts counts_before(int who);
/* ... once the device has nothing under way: a reader may end before that */
struct counts counts_after(int who);
void print_counts(const struct counts *before, const struct counts *after);
long cached_pages(int fd, struct part part);

/* file.c: files, and the settings that they are read under */
char *name_in_dir(const char *name);
/* A file of @opt.at, made when it is not there or has another size, opened, cold */
int open_cold(const char *name, size_t size);
void *map_whole(int fd, size_t size);
void set_scene(void);

#endif
