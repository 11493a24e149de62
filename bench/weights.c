// SPDX-License-Identifier: GPL-2.0-only
/*
 * weights - make a file of model weights and load it as inference programs do: map
 * it, parse what is at its start, copy each tensor out of the mapping. One line of
 * key=value pairs tells what that cost.
 *
 * safetensors: a length of 8 bytes, a header of that length in JSON, which tells
 * where in the rest each tensor is, and the tensors, one behind the other.
 * GGUF: magic, version, counts, key-value pairs, for each tensor its name, shape,
 * type and offset, and the tensors, aligned. All numbers are little endian.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
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
#define MAX_TENSORS	1024
#define MAX_THREADS	64
#define HEADER_MAX	(1 << 20)

static const char usage_text[] =
"usage: weights -m MIB FILE.safetensors|FILE.gguf\n"
"       weights [options] FILE.safetensors|FILE.gguf\n"
"  -m MIB      make the file, of about that size\n"
"  -o ORDER    of the tensors: file, reverse, shuffled; default file\n"
"  -c COPY     of a tensor: up, by memcpy(); down, 4 KiB at a time from its end;\n"
"              move, by memmove() to a place 64 bytes further up in a private\n"
"              mapping, which any memmove() has to copy from the end (-o reverse,\n"
"              so that no tensor is overwritten); default up\n"
"  -a ADVICE   normal, seq, huge; default normal\n"
"  -t THREADS  take tensors by turns, in one mapping; default 1\n"
"Each tensor that was copied is checked.\n";

enum order { IN_FILE, REVERSE, SHUFFLED };
static const char *const order_names[] = { "file", "reverse", "shuffled" };

enum copy { UP, DOWN, MOVE };
static const char *const copy_names[] = { "up", "down", "move" };

enum advice { NORMAL, SEQ, HUGE };
static const char *const advice_names[] = { "normal", "seq", "huge" };
static const int advice_values[] = { MADV_NORMAL, MADV_SEQUENTIAL, MADV_HUGEPAGE };

#define SHIFT	64

struct tensor {
	char name[64];
	uint64_t rows, columns, offset, size;
};

static struct tensor tensors[MAX_TENSORS];
static size_t nr_tensors, taken[MAX_TENSORS];
static atomic_size_t next_taken;

static const char *path;
static bool gguf;
static enum copy copy_way = UP;
static char *map;
static size_t map_size;

/* Of the words of a tensor: one that is at a wrong place is a wrong one. */
static uint64_t word(size_t tensor, uint64_t n)
{
	return ((uint64_t)tensor << 40 | n) * 0x9e3779b97f4a7c15;
}

/* What a decoder of 1,024 channels has: embeddings, layers of 21.5 MiB, a head. */
static void add_tensor(const char *name, int layer, uint64_t rows, uint64_t columns)
{
	struct tensor *t = &tensors[nr_tensors];

	if (nr_tensors == MAX_TENSORS)
		errx(2, "that large a file has too many tensors");
	if (layer < 0)
		snprintf(t->name, sizeof(t->name), "%s.weight", name);
	else
		snprintf(t->name, sizeof(t->name), "blk.%d.%s.weight", layer, name);
	t->rows = rows;
	t->columns = columns;
	t->size = rows * columns * 2;
	if (nr_tensors)
		t->offset = t[-1].offset + t[-1].size;
	/* All sizes are multiples of 64, so they are aligned for both formats */
	nr_tensors++;
}

static void add_tensors(uint64_t size)
{
	uint64_t vocabulary = size / 8 / 2048;

	add_tensor("token_embd", -1, vocabulary, 1024);
	for (int layer = 0; tensors[nr_tensors - 1].offset + (22 << 20) < size / 8 * 7; layer++) {
		add_tensor("attn_norm", layer, 1, 1024);
		add_tensor("attn_q", layer, 1024, 1024);
		add_tensor("attn_k", layer, 256, 1024);
		add_tensor("attn_v", layer, 256, 1024);
		add_tensor("attn_output", layer, 1024, 1024);
		add_tensor("ffn_norm", layer, 1, 1024);
		add_tensor("ffn_gate", layer, 2816, 1024);
		add_tensor("ffn_up", layer, 2816, 1024);
		add_tensor("ffn_down", layer, 1024, 2816);
	}
	add_tensor("output_norm", -1, 1, 1024);
	add_tensor("output", -1, vocabulary, 1024);
}

static void put(FILE *f, const void *data, size_t size)
{
	if (size && fwrite(data, size, 1, f) != 1)
		err(2, "%s", path);
}

static void put_number(FILE *f, uint64_t number, int bytes)
{
	put(f, &number, bytes);
}

static void put_string(FILE *f, const char *s)
{
	put_number(f, strlen(s), 8);
	put(f, s, strlen(s));
}

static void put_gguf_header(FILE *f)
{
	put(f, "GGUF", 4);
	put_number(f, 3, 4);
	put_number(f, nr_tensors, 8);
	put_number(f, 2, 8);
	put_string(f, "general.architecture");
	put_number(f, 8, 4);			/* a string */
	put_string(f, "llama");
	put_string(f, "general.alignment");
	put_number(f, 4, 4);			/* 32 bits, unsigned */
	put_number(f, 32, 4);
	for (struct tensor *t = tensors; t < tensors + nr_tensors; t++) {
		put_string(f, t->name);
		put_number(f, 2, 4);
		put_number(f, t->columns, 8);
		put_number(f, t->rows, 8);
		put_number(f, 1, 4);		/* F16 */
		put_number(f, t->offset, 8);
	}
	while (ftell(f) % 32)
		put_number(f, 0, 1);
}

static void put_safetensors_header(FILE *f)
{
	char *json = NULL;
	size_t len = 0;
	FILE *j = open_memstream(&json, &len);

	if (!j)
		err(2, "memory");
	fprintf(j, "{\"__metadata__\":{\"format\":\"pt\"}");
	for (struct tensor *t = tensors; t < tensors + nr_tensors; t++)
		fprintf(j, ",\"%s\":{\"dtype\":\"F16\",\"shape\":[%ju,%ju],\"data_offsets\":[%ju,%ju]}",
			t->name, (uintmax_t)t->rows, (uintmax_t)t->columns,
			(uintmax_t)t->offset, (uintmax_t)(t->offset + t->size));
	fputc('}', j);
	fflush(j);
	while (len % 8) {
		fputc(' ', j);
		fflush(j);
	}
	fclose(j);
	put_number(f, len, 8);
	put(f, json, len);
	free(json);
}

static void make_file(uint64_t size)
{
	static uint64_t words[8192];
	FILE *f = fopen(path, "w");

	if (!f)
		err(2, "%s", path);
	add_tensors(size);
	if (gguf)
		put_gguf_header(f);
	else
		put_safetensors_header(f);
	for (size_t i = 0; i < nr_tensors; i++) {
		uint64_t n = 0, end = tensors[i].size / 8;

		while (n < end) {
			size_t fill = 0;

			while (fill < ARRAY_SIZE(words) && n < end)
				words[fill++] = word(i, n++);
			put(f, words, fill * 8);
		}
	}
	if (fflush(f) || fsync(fileno(f)) || fclose(f))
		err(2, "%s", path);
}

/* What comes next in the mapping, which has to be there. */
static const char *at;

static const char *get(uint64_t size)
{
	const char *p = at;

	if (size > HEADER_MAX || at + size > map + map_size)
		errx(1, "%s: its header goes on behind its end", path);
	at += size;
	return p;
}

static uint64_t get_number(int bytes)
{
	uint64_t number = 0;

	memcpy(&number, get(bytes), bytes);
	return number;
}

static void parse_gguf(void)
{
	uint64_t pairs, alignment = 32;

	if (memcmp(get(4), "GGUF", 4) || get_number(4) != 3)
		errx(1, "%s: no GGUF of version 3", path);
	nr_tensors = get_number(8);
	if (nr_tensors > MAX_TENSORS)
		errx(1, "%s: too many tensors", path);
	for (pairs = get_number(8); pairs; pairs--) {
		uint64_t len = get_number(8);
		const char *key = get(len);
		uint64_t type = get_number(4);

		if (type == 8)
			get(get_number(8));
		else if (type != 4)
			errx(1, "%s: a key of type %ju", path, (uintmax_t)type);
		else if (len == 17 && !memcmp(key, "general.alignment", len))
			alignment = get_number(4);
		else
			get(4);
	}
	for (struct tensor *t = tensors; t < tensors + nr_tensors; t++) {
		get(get_number(8));
		if (get_number(4) != 2)
			errx(1, "%s: a tensor that is no matrix", path);
		t->columns = get_number(8);
		t->rows = get_number(8);
		if (get_number(4) != 1)
			errx(1, "%s: a tensor that is no F16", path);
		t->offset = get_number(8);
		t->size = t->rows * t->columns * 2;
	}
	at = map + (at - map + alignment - 1) / alignment * alignment;
}

static void parse_safetensors(void)
{
	static const char what[] = "\"data_offsets\":[";
	uint64_t len = get_number(8);
	const char *json = get(len);

	while ((json = memmem(json, at - json, what, sizeof(what) - 1))) {
		struct tensor *t = &tensors[nr_tensors++];
		uintmax_t start, end;

		if (nr_tensors > MAX_TENSORS)
			errx(1, "%s: too many tensors", path);
		json += sizeof(what) - 1;
		if (sscanf(json, "%ju,%ju]", &start, &end) != 2 || end < start)
			errx(1, "%s: no offsets", path);
		t->offset = start;
		t->size = end - start;
	}
}

static void parse(void)
{
	at = map;
	if (gguf)
		parse_gguf();
	else
		parse_safetensors();
	for (struct tensor *t = tensors; t < tensors + nr_tensors; t++) {
		t->offset += at - map;
		if (t->offset > map_size || t->size > map_size - t->offset)
			errx(1, "%s: a tensor goes on behind its end", path);
	}
}

static void set_order(enum order order)
{
	uint64_t random = 1;

	for (size_t i = 0; i < nr_tensors; i++)
		taken[i] = order == REVERSE ? nr_tensors - 1 - i : i;
	for (size_t i = nr_tensors - 1; order == SHUFFLED && i; i--) {
		size_t other, tmp = taken[i];

		random = random * 6364136223846793005 + 1442695040888963407;
		other = (random >> 33) % (i + 1);
		taken[i] = taken[other];
		taken[other] = tmp;
	}
}

static void *load(void *buffer)
{
	size_t n;

	while ((n = next_taken++) < nr_tensors) {
		size_t number = taken[n];
		const struct tensor *t = &tensors[number];
		char *from = map + t->offset, *to = buffer;
		uint64_t found;

		switch (copy_way) {
		case UP:
			memcpy(to, from, t->size);
			break;
		case DOWN:
			for (size_t end = t->size, len; end; end -= len) {
				len = end % 4096 ? end % 4096 : 4096;
				memcpy(to + end - len, from + end - len, len);
			}
			break;
		case MOVE:
			to = from + SHIFT;
			memmove(to, from, t->size);
			break;
		}
		/* a word of each 64 bytes */
		for (uint64_t i = 0; i < t->size / 8; i += 8) {
			memcpy(&found, to + i * 8, 8);
			if (found != word(number, i))
				errx(1, "%s: tensor %zu, byte %ju: not what was written",
				     path, number, (uintmax_t)i * 8);
		}
	}
	return NULL;
}

static size_t cached_pages(void)
{
	size_t pages = (map_size + 4095) / 4096, cached = 0;
	unsigned char *vec = malloc(pages);

	if (!vec || mincore(map, map_size, vec))
		err(2, "mincore");
	for (size_t i = 0; i < pages; i++)
		cached += vec[i] & 1;
	free(vec);
	return cached;
}

static void map_file(enum advice advice)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err(2, "%s", path);
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		errx(2, "%s: cannot drop its pages", path);
	map_size = st.st_size;
	/* to move the last tensor up takes a page behind the file */
	map = mmap(NULL, map_size + 4096, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED ||
	    mmap(map, map_size, copy_way == MOVE ? PROT_READ | PROT_WRITE : PROT_READ,
		 MAP_FIXED | (copy_way == MOVE ? MAP_PRIVATE : MAP_SHARED), fd, 0) != map)
		err(2, "mmap");
	close(fd);
	if (advice != NORMAL && madvise(map, map_size, advice_values[advice]))
		err(2, "madvise");
	if (cached_pages())
		errx(2, "%s: %zu pages stay cached, this would be no cold run",
		     path, cached_pages());
}

/* A place to copy to for each thread. It is paid for before the clock starts. */
static char *make_buffer(size_t size)
{
	char *buffer = malloc(size);

	if (!buffer)
		err(2, "memory");
	return memset(buffer, 1, size);
}

static long number(const char *s, long max)
{
	char *end;
	long n = strtol(s, &end, 10);

	if (*end || n < 1 || n > max)
		errx(2, "'%s': expected 1 to %ld", s, max);
	return n;
}

static int lookup(const char *what, const char *s, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(s, names[i]))
			return i;
	errx(2, "'%s' is no %s", s, what);
}

int main(int argc, char *argv[])
{
	enum order order = IN_FILE;
	enum advice advice = NORMAL;
	long mib = 0, threads = 1;
	pthread_t ids[MAX_THREADS];
	char *buffers[MAX_THREADS];
	size_t buffer_size = 0;
	struct rusage r0, r1;
	struct timespec t0, t1;
	struct io_count c0, c1;
	int c;

	while ((c = getopt(argc, argv, "m:o:c:a:t:h")) != -1) {
		switch (c) {
		case 'm':
			mib = number(optarg, 1 << 14);
			break;
		case 'o':
			order = lookup("order", optarg, order_names, ARRAY_SIZE(order_names));
			break;
		case 'c':
			copy_way = lookup("copy", optarg, copy_names, ARRAY_SIZE(copy_names));
			break;
		case 'a':
			advice = lookup("advice", optarg, advice_names, ARRAY_SIZE(advice_names));
			break;
		case 't':
			threads = number(optarg, MAX_THREADS);
			break;
		case 'h':
			fputs(usage_text, stdout);
			return 0;
		default:
			fputs(usage_text, stderr);
			return 2;
		}
	}
	path = argv[optind];
	if (optind != argc - 1 || !strrchr(path, '.')) {
		fputs(usage_text, stderr);
		return 2;
	}
	gguf = !strcmp(strrchr(path, '.'), ".gguf");
	if (!gguf && strcmp(strrchr(path, '.'), ".safetensors"))
		errx(2, "%s: neither .safetensors nor .gguf", path);
	if (copy_way == MOVE && (order != REVERSE || threads != 1))
		errx(2, "-c move goes with -o reverse and one thread");
	if (mib) {
		make_file((uint64_t)mib << 20);
		return 0;
	}

	/* parsed once to know the sizes; that is before the file is made cold */
	map_file(NORMAL);
	parse();
	for (size_t i = 0; i < nr_tensors; i++)
		if (tensors[i].size > buffer_size)
			buffer_size = tensors[i].size;
	for (long i = 0; i < threads && copy_way != MOVE; i++)
		buffers[i] = make_buffer(buffer_size);
	munmap(map, map_size + 4096);
	nr_tensors = 0;
	map_file(advice);

	c0 = io_count(path);
	getrusage(RUSAGE_SELF, &r0);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	parse();
	set_order(order);
	if (threads == 1) {
		load(buffers[0]);
	} else {
		for (long i = 0; i < threads; i++)
			if (pthread_create(&ids[i], NULL, load, buffers[i]))
				errx(2, "cannot start thread %ld", i);
		for (long i = 0; i < threads; i++)
			pthread_join(ids[i], NULL);
	}
	clock_gettime(CLOCK_MONOTONIC, &t1);
	getrusage(RUSAGE_SELF, &r1);
	c1 = io_count_idle(path);

	printf("format=%s order=%s copy=%s advice=%s threads=%ld size=%zu tensors=%zu",
	       gguf ? "gguf" : "safetensors", order_names[order], copy_names[copy_way],
	       advice_names[advice], threads, map_size, nr_tensors);
	printf(" majflt=%ld minflt=%ld reads=%llu kib=%llu usec=%lld\n",
	       r1.ru_majflt - r0.ru_majflt, r1.ru_minflt - r0.ru_minflt,
	       c1.reads - c0.reads, (c1.sectors - c0.sectors) / 2,
	       (t1.tv_sec - t0.tv_sec) * 1000000LL + (t1.tv_nsec - t0.tv_nsec) / 1000);
	return 0;
}
