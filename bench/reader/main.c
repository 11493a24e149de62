// SPDX-License-Identifier: GPL-2.0-only
/* The command line of reader */
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reader.h"

struct options opt = {
	.size = 64 * MiB, .chunk = 300 << 10, .stride = 1, .blocks = 2, .threads = 1,
	.seed = 1, .count = 1, .ra = 128, .use = MMAP, .used = 24 * MiB,
};
long page_size;
const int advice_values[] = { MADV_NORMAL, MADV_SEQUENTIAL, MADV_HUGEPAGE, MADV_RANDOM };

/* The values of an enum, in its order */
#define KINDS		"walk stream start hot command"
#define ADVICES		"normal seq huge rand"
#define PATTERNS	"along chunks shuffled dealt random runs footer read populate willneed"
#define DIRECTIONS	"up down mix"
#define METHODS		"read mmap sendfile uring other"
#define FLAGS		"none noreuse dontneed dontcache"
#define LRUS		"classic mglru"
#define NO_YES		"no yes"

static const struct key {
	const char *name;
	long *value;
	/* of an enum; else a number */
	const char *words;
	const char *help;
} keys[] = {
	{ "kind", &opt.kind, KINDS, "what to do; each is a part of this program" },
	{ "ra", &opt.ra, NULL, "read_ahead_kb of the file system" },
	{ "mem", &opt.mem, NULL, "limit of the memory cgroup to run in; 0: none" },
	{ "lru", &opt.lru, LRUS, "which of them" },
	{ "seed", &opt.seed, NULL, "of what is random" },
	{ "threads", &opt.threads, NULL, "how many read" },
	{ "size", &opt.size, NULL, "of the file" },
	{ "advice", &opt.advice, ADVICES, "by madvise(2)" },
	{ "fadvise", &opt.fadvise, FLAGS, "by posix_fadvise(2), or a flag of the reads" },

	{ "pattern", &opt.pattern, PATTERNS, "walk: the order of the pages" },
	{ "dir", &opt.dir, DIRECTIONS, "walk: direction; mix: odd threads go down" },
	{ "stride", &opt.stride, NULL, "walk: touch each so many pages" },
	{ "chunk", &opt.chunk, NULL, "walk: size of chunks, of the column of footer" },
	{ "count", &opt.count, NULL, "walk: touches of random, runs of runs; start: copies; hot: turns" },
	{ "blocks", &opt.blocks, NULL, "walk: blocks of 16 KiB in one of the runs, going down" },
	{ "own", &opt.own, NO_YES, "walk: each thread opens and maps the file for itself" },
	{ "split", &opt.split, NULL, "walk: split each part into VMAs of that size" },
	{ "rest", &opt.rest, NO_YES, "walk: map what is in no part, too, but PROT_NONE" },

	{ "method", &opt.method, METHODS, "stream: how; hot: mmap or read" },
	{ "use", &opt.use, METHODS, "stream: how the file in use is used, mmap or read" },
	{ "used", &opt.used, NULL, "stream: size of the file in use" },
	{ "same", &opt.same, NO_YES, "stream: the file in use is the start of the stream's" },
	{ "behind", &opt.behind, NULL, "stream: read again that far behind" },

	{ "warm", &opt.warm, NO_YES, "start: each has run before, nothing is cold" },
	{ "payload", &opt.payload, NULL, "start: bytes behind the program in its file" },
};

static void usage(FILE *to)
{
	fputs("usage: reader at=DIRECTORY [KEY=VALUE]... [-- COMMAND [ARGUMENT]...]\n", to);
	fputs("  map=OFFSET:LENGTH[,OFFSET:LENGTH]... walk: map these parts only\n", to);
	fputs("  program=NAME  start: of /lab/programs; a directory of one has main\n", to);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		fprintf(to, "  %-8s %s%s%s%s\n", keys[i].name, keys[i].help,
			keys[i].words ? " (" : "", keys[i].words ?: "", keys[i].words ? ")" : "");
}

/* The place of @word among @words, or the word at a place */
static long word_nr(const char *key, const char *word, const char *words)
{
	size_t len = strlen(word);

	for (long n = 0; *words; n++) {
		size_t next = strcspn(words, " ");

		if (next == len && !strncmp(words, word, len))
			return n;
		words += next + (words[next] == ' ');
	}
	errx(2, "%s: there is no '%s'", key, word);
}

static void print_word(const char *words, long n)
{
	while (n--)
		words += strcspn(words, " ") + 1;
	printf("%.*s", (int)strcspn(words, " "), words);
}

static long number(const char *key, const char *s)
{
	char *end;
	long v, unit = 1;

	errno = 0;
	v = strtol(s, &end, 10);
	if (*end == 'K' || *end == 'M' || *end == 'G') {
		unit = *end == 'K' ? 1L << 10 : *end == 'M' ? 1L << 20 : 1L << 30;
		end++;
	}
	if (end == s || *end || errno || v < 0 || v > LONG_MAX / unit)
		errx(2, "%s: '%s' is no number", key, s);
	return v * unit;
}

/* OFFSET:LENGTH, and more of them behind commas */
static void add_parts(char *s)
{
	for (char *one; (one = strsep(&s, ",")); opt.nr_parts++) {
		struct part *part = &opt.parts[opt.nr_parts];
		char *start = strsep(&one, ":");

		if (!one || opt.nr_parts == MAX_PARTS)
			errx(2, "map: '%s' has no length, or there are more than %d", start, MAX_PARTS);
		part->start = number("map", start);
		part->len = number("map", one);
	}
}

static void parse(char *arg)
{
	char *name = strsep(&arg, "=");

	if (!arg)
		errx(2, "'%s' is no KEY=VALUE; reader help lists the keys", name);
	if (!strcmp(name, "at")) {
		opt.at = arg;
		return;
	}
	if (!strcmp(name, "map")) {
		add_parts(arg);
		return;
	}
	if (!strcmp(name, "program")) {
		opt.program = arg;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(name, keys[i].name)) {
			*keys[i].value = keys[i].words ? word_nr(name, arg, keys[i].words) :
							 number(name, arg);
			return;
		}
	errx(2, "%s: no such key; reader help lists them", name);
}

static void check(void)
{
	if (opt.threads < 1 || opt.threads > MAX_THREADS)
		errx(2, "threads: from 1 to %d", MAX_THREADS);
	if (!opt.stride || !opt.count || !opt.size || opt.size % page_size)
		errx(2, "stride, count and size (in pages) cannot be 0");
	if (opt.chunk < page_size || opt.split % page_size)
		errx(2, "chunk and split are whole pages of %ld bytes", page_size);
	if (!opt.nr_parts)
		opt.parts[opt.nr_parts++].len = opt.size;
	for (int i = 0; i < opt.nr_parts; i++) {
		struct part *part = &opt.parts[i];

		if (part->start % page_size || part->len % page_size || !part->len)
			errx(2, "map: parts are whole pages of %ld bytes", page_size);
		if (part->start + part->len > (size_t)opt.size)
			errx(2, "map: a part ends behind the file");
	}
	if (opt.fadvise == DONTCACHE && opt.method != READ && opt.method != URING)
		errx(2, "dontcache is a flag of reads");
	if (opt.kind == START && !opt.program)
		errx(2, "start wants program=");
	if (opt.kind == COMMAND && (!opt.command || !opt.command[0]))
		errx(2, "command wants one, behind --");
}

int main(int argc, char *argv[])
{
	static void (*const run[])(void) = { walk, stream, start, hot, command };

	page_size = sysconf(_SC_PAGESIZE);
	if (argc == 2 && !strcmp(argv[1], "help")) {
		usage(stdout);
		return 0;
	}
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			opt.command = argv + i + 1;
			break;
		}
		parse(argv[i]);
	}
	if (!opt.at) {
		usage(stderr);
		return 2;
	}
	check();
	set_scene();
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		printf("%s=", keys[i].name);
		if (keys[i].words)
			print_word(keys[i].words, *keys[i].value);
		else
			printf("%ld", *keys[i].value);
		putchar(' ');
	}
	run[opt.kind]();
	putchar('\n');
	return 0;
}
