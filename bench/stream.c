// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream - read a large file from start to end while another one is in use, and
 * count what the stream takes from that one. Without -f another program streams,
 * and the standard input has a line for each 8 MiB of it.
 *
 * One line of key=value pairs per run. Run it in a cgroup whose limit is less
 * than both files together.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define CHUNK		(1L << 20)
#define MiB		(1L << 20)

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE	0x80
#endif

static const char usage_text[] =
"usage: stream [-f FILE] -w FILE -g CGROUP [options]\n"
"  -f FILE     the stream; made when it is missing or smaller\n"
"  -w FILE     the file in use, which is read whole each 8 MiB of the stream; may be\n"
"              the same one: then its start is in use\n"
"  -g CGROUP   the directory of the cgroup that this runs in\n"
"  -z MIB      size of the stream; default 256\n"
"  -W MIB      size of the file in use; default 24\n"
"  -m METHOD   of the stream: read, mmap, sendfile, uring; default read\n"
"  -u METHOD   of the file in use: read, mmap; default mmap\n"
"  -p MIB      read each part of the stream again, that far behind; default 0, do not\n"
"  -a ADVICE   none, noreuse, dontneed, dontcache; default none\n"
"  -A ADVICE   for the mappings of both files: normal, seq, rand; default normal\n";

enum method { READ, MMAP, SENDFILE, URING };
static const char *const method_names[] = { "read", "mmap", "sendfile", "uring" };

enum advice { NONE, NOREUSE, DONTNEED, DONTCACHE };
static const char *const advice_names[] = { "none", "noreuse", "dontneed", "dontcache" };

static const char *const map_advice_names[] = { "normal", "seq", "rand" };
static const int map_advice_values[] = { MADV_NORMAL, MADV_SEQUENTIAL, MADV_RANDOM };

static struct {
	const char *file, *work, *cgroup;
	long size, work_size, behind;
	enum method method, use;
	enum advice advice;
	int map_advice;
} opt = { .size = 256, .work_size = 24, .use = MMAP };

static char *buf, *map, *work_map;
static int fd, work_fd, null_fd;
static long page_size;

static struct {
	int fd;
	unsigned int *tail, *mask, *cq_head, *array;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	unsigned int *cq_mask;
} ring;

static int lookup(const char *what, const char *s, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(s, names[i]))
			return i;
	errx(2, "'%s' is no %s", s, what);
}

static long number(const char *what, const char *s, long max)
{
	char *end;
	long v = strtol(s, &end, 10);

	if (end == s || *end || v < 0 || v > max)
		errx(2, "%s: '%s' is not a number from 0 to %ld", what, s, max);
	return v;
}

static int open_file(const char *name, long size)
{
	struct stat st;
	int file;

	if (stat(name, &st) || st.st_size < size) {
		file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (file < 0)
			err(2, "%s", name);
		memset(buf, 'x', CHUNK);
		for (long off = 0; off < size; off += CHUNK)
			if (pwrite(file, buf, CHUNK, off) != CHUNK)
				err(2, "write %s", name);
		if (fsync(file))
			err(2, "fsync %s", name);
		close(file);
	}
	file = open(name, O_RDONLY);
	if (file < 0)
		err(2, "%s", name);
	if (posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED))
		errx(2, "%s: cannot drop its pages", name);
	return file;
}

static char *map_file(int file, long size)
{
	char *p = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);

	if (p == MAP_FAILED)
		err(2, "mmap");
	if (madvise(p, size, map_advice_values[opt.map_advice]))
		err(2, "madvise");
	return p;
}

static long cached_pages(const char *at, long size)
{
	long pages = size / page_size, n = 0;
	unsigned char *vec = malloc(pages);

	if (!vec || mincore((void *)at, size, vec))
		err(2, "mincore");
	for (long i = 0; i < pages; i++)
		n += vec[i] & 1;
	free(vec);
	return n;
}

/* A count of the cgroup's memory.stat */
static long memory_stat(const char *name)
{
	char path[256], line[128], found[64];
	long v;
	FILE *f;

	snprintf(path, sizeof(path), "%s/memory.stat", opt.cgroup);
	f = fopen(path, "r");
	if (!f)
		err(2, "%s", path);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %ld", found, &v) == 2 && !strcmp(found, name)) {
			fclose(f);
			return v;
		}
	errx(2, "%s: no %s in it", path, name);
}

static void ring_setup(void)
{
	struct io_uring_params p = { 0 };
	char *sq, *cq;

	ring.fd = syscall(__NR_io_uring_setup, 1, &p);
	if (ring.fd < 0)
		err(2, "io_uring_setup");
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(unsigned int),
		  PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe),
		  PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_CQ_RING);
	ring.sqes = mmap(NULL, p.sq_entries * sizeof(struct io_uring_sqe),
			 PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || ring.sqes == MAP_FAILED)
		err(2, "mmap of the ring");
	ring.tail = (void *)(sq + p.sq_off.tail);
	ring.mask = (void *)(sq + p.sq_off.ring_mask);
	ring.array = (void *)(sq + p.sq_off.array);
	ring.cq_head = (void *)(cq + p.cq_off.head);
	ring.cq_mask = (void *)(cq + p.cq_off.ring_mask);
	ring.cqes = (void *)(cq + p.cq_off.cqes);
}

static long ring_read(int file, void *to, long len, long off, int flags)
{
	unsigned int tail = *ring.tail, i = tail & *ring.mask, head;
	int result;

	ring.sqes[i] = (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .fd = file, .addr = (uintptr_t)to,
		.len = len, .off = off, .rw_flags = flags,
	};
	ring.array[i] = i;
	__atomic_store_n(ring.tail, tail + 1, __ATOMIC_RELEASE);
	if (syscall(__NR_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		err(2, "io_uring_enter");
	head = *ring.cq_head;
	result = ring.cqes[head & *ring.cq_mask].res;
	__atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
	if (result < 0)
		errno = -result;
	return result;
}

static void stream_chunk(long off, bool last)
{
	int flags = opt.advice == DONTCACHE ? RWF_DONTCACHE : 0;
	struct iovec iov = { .iov_base = buf };
	off_t pos = off;

	switch (opt.method) {
	case READ:
	case URING:
		for (long n, done = 0; done < CHUNK; done += n) {
			iov = (struct iovec){ buf + done, CHUNK - done };
			n = opt.method == READ ?
				preadv2(fd, &iov, 1, off + done, flags) :
				ring_read(fd, buf + done, CHUNK - done, off + done, flags);
			if (n <= 0)
				err(2, "read %s", opt.file);
		}
		break;
	case MMAP:
		for (long p = 0; p < CHUNK; p += page_size)
			(void)*(volatile char *)(map + off + p);
		break;
	case SENDFILE:
		while (pos < off + CHUNK)
			if (sendfile(null_fd, fd, &pos, off + CHUNK - pos) <= 0)
				err(2, "sendfile %s", opt.file);
		break;
	}
	if (opt.advice == DONTNEED && last &&
	    posix_fadvise(fd, off, CHUNK, POSIX_FADV_DONTNEED))
		errx(2, "%s: cannot drop its pages", opt.file);
}

/* What the user of the other file does each time. */
static void use_work(void)
{
	for (long off = 0; off < opt.work_size; off += CHUNK) {
		if (opt.use == MMAP) {
			for (long p = 0; p < CHUNK; p += page_size)
				(void)*(volatile char *)(work_map + off + p);
		} else if (pread(work_fd, buf, CHUNK, off) != CHUNK) {
			err(2, "read %s", opt.work);
		}
	}
}

/*
 * The other user is a process of its own: as it is scheduled the processor
 * forgets its translations, so that each use of a mapping sets the accessed
 * bits that the LRU looks for. (An emulator may never forget them else.)
 */
static int to_user[2], from_user[2];

static long major_faults(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return r.ru_majflt;
}

static void start_user(void)
{
	long faults;
	char token;

	if (pipe(to_user) || pipe(from_user))
		err(2, "pipe");
	switch (fork()) {
	case -1:
		err(2, "fork");
	case 0:
		close(to_user[1]);
		if (opt.use == MMAP)
			work_map = map_file(work_fd, opt.work_size);
		while (read(to_user[0], &token, 1) == 1) {
			use_work();
			faults = major_faults();
			if (write(from_user[1], &faults, sizeof(faults)) != sizeof(faults))
				_exit(2);
		}
		_exit(0);
	}
	close(from_user[1]);
}

/* Returns the major faults that the user has had so far */
static long let_user_run(void)
{
	char token = 0;
	long faults;

	if (write(to_user[1], &token, 1) != 1 ||
	    read(from_user[0], &faults, sizeof(faults)) != sizeof(faults))
		errx(2, "the user of %s is gone", opt.work);
	return faults;
}

/* What 8 MiB of the stream took from the file in use, which then is needed again */
static struct {
	char *probe;
	long pages, least, lost, uses, faults, faults_before;
} work;

static void count_and_use(void)
{
	long n = cached_pages(work.probe, opt.work_size);

	work.lost += work.pages - n;
	if (n < work.least)
		work.least = n;
	work.faults = let_user_run() - work.faults_before;
	work.uses++;
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

int main(int argc, char *argv[])
{
	long refaults, activated, faults = 0;
	long long usec = 0;
	int c;

	page_size = sysconf(_SC_PAGESIZE);
	while ((c = getopt(argc, argv, "f:w:g:z:W:m:u:p:a:A:h")) != -1) {
		switch (c) {
		case 'f':
			opt.file = optarg;
			break;
		case 'w':
			opt.work = optarg;
			break;
		case 'g':
			opt.cgroup = optarg;
			break;
		case 'z':
			opt.size = number("-z", optarg, 1 << 20);
			break;
		case 'W':
			opt.work_size = number("-W", optarg, 1 << 20);
			break;
		case 'm':
			opt.method = lookup("method", optarg, method_names, 4);
			break;
		case 'u':
			opt.use = lookup("method of use", optarg, method_names, 2);
			break;
		case 'p':
			opt.behind = number("-p", optarg, 1 << 20);
			break;
		case 'a':
			opt.advice = lookup("advice", optarg, advice_names, 4);
			break;
		case 'A':
			opt.map_advice = lookup("advice", optarg, map_advice_names, 3);
			break;
		case 'h':
			fputs(usage_text, stdout);
			return 0;
		default:
			fputs(usage_text, stderr);
			return 2;
		}
	}
	if (!opt.work || !opt.cgroup || optind != argc) {
		fputs(usage_text, stderr);
		return 2;
	}
	if (opt.advice == DONTCACHE && opt.method != READ && opt.method != URING)
		errx(2, "dontcache is a flag of reads, not of %s", method_names[opt.method]);
	opt.size *= MiB;
	opt.work_size *= MiB;
	opt.behind *= MiB;

	buf = aligned_alloc(page_size, CHUNK);
	if (!buf)
		err(2, "aligned_alloc");
	work_fd = open_file(opt.work, opt.work_size);
	if (opt.file) {
		fd = open_file(opt.file, opt.size);
		null_fd = open("/dev/null", O_WRONLY);
		if (opt.method == URING)
			ring_setup();
		if (opt.method == MMAP)
			map = map_file(fd, opt.size);
		if (opt.advice == NOREUSE && posix_fadvise(fd, 0, 0, POSIX_FADV_NOREUSE))
			errx(2, "%s: no POSIX_FADV_NOREUSE", opt.file);
	}
	/* Only looked at through mincore(), never touched */
	work.probe = map_file(work_fd, opt.work_size);
	start_user();

	for (int i = 0; i < 3; i++)
		work.faults_before = let_user_run();
	work.pages = opt.work_size / page_size;
	work.least = cached_pages(work.probe, opt.work_size);
	refaults = memory_stat("workingset_refault_file");
	activated = memory_stat("workingset_activate_file");

	for (long off = 0; opt.file && off < opt.size; off += CHUNK) {
		long faults_before = major_faults();
		long long t0 = now();

		stream_chunk(off, !opt.behind);
		if (opt.behind && off >= opt.behind)
			stream_chunk(off - opt.behind, true);
		usec += now() - t0;
		faults += major_faults() - faults_before;

		if ((off + CHUNK) % (8 * MiB) == 0)
			count_and_use();
	}
	if (!opt.file)
		for (char line[256]; fgets(line, sizeof(line), stdin); )
			count_and_use();

	if (!work.uses)
		errx(2, "%s was not used once", opt.work);
	printf("method=%s use=%s same=%d map=%s behind=%ld advice=%s",
	       opt.file ? method_names[opt.method] : "other", method_names[opt.use],
	       opt.file && !strcmp(opt.file, opt.work), map_advice_names[opt.map_advice],
	       opt.behind / MiB, advice_names[opt.advice]);
	printf(" resident=%.1f lost=%ld refaults=%ld activated=%ld",
	       100.0 * work.least / work.pages, work.lost,
	       memory_stat("workingset_refault_file") - refaults,
	       memory_stat("workingset_activate_file") - activated);
	printf(" uses=%ld majflt=%ld use_majflt=%ld usec=%lld\n",
	       work.uses, faults, work.faults, usec);
	return 0;
}
