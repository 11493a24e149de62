// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read a large file from start to end while another one is in use, and count what
 * the stream takes from that one. With method=other another program streams,
 * and the standard input has a line for each 8 MiB of that.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "reader.h"

#define CHUNK		MiB

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE	0x80
#endif

static char *buf, *map, *work_map;
static int fd, work_fd, null_fd;

static struct {
	int fd;
	unsigned int *tail, *mask, *cq_head, *array;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	unsigned int *cq_mask;
} ring;

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

static void stream_part(long off, long len)
{
	int flags = opt.fadvise == DONTCACHE ? RWF_DONTCACHE : 0;
	char *to = buf + off % CHUNK;
	off_t pos = off;

	switch (opt.method) {
	case READ:
	case URING:
		for (long n, done = 0; done < len; done += n) {
			struct iovec iov = { to + done, len - done };

			n = opt.method == READ ?
				preadv2(fd, &iov, 1, off + done, flags) :
				ring_read(fd, to + done, len - done, off + done, flags);
			if (n <= 0)
				err(2, "read");
		}
		break;
	case MMAP:
		for (long p = 0; p < len; p += page_size)
			(void)*(volatile char *)(map + off + p);
		break;
	case SENDFILE:
		while (pos < off + len)
			if (sendfile(null_fd, fd, &pos, off + len - pos) <= 0)
				err(2, "sendfile");
		break;
	}
}

/* Each thread has its part of the chunk that all of them are at. */
static void *stream_thread(void *at)
{
	stream_part(*(long *)at, CHUNK / opt.threads);
	return NULL;
}

static void stream_chunk(long off, bool last)
{
	pthread_t id[MAX_THREADS];
	long at[MAX_THREADS];

	if (opt.threads == 1)
		stream_part(off, CHUNK);
	for (long i = 0; opt.threads > 1 && i < opt.threads; i++) {
		at[i] = off + i * (CHUNK / opt.threads);
		if (pthread_create(&id[i], NULL, stream_thread, &at[i]))
			errx(2, "cannot start thread %ld", i);
	}
	for (long i = 0; opt.threads > 1 && i < opt.threads; i++)
		pthread_join(id[i], NULL);
	if (opt.fadvise == DONTNEED && last &&
	    posix_fadvise(fd, off, CHUNK, POSIX_FADV_DONTNEED))
		errx(2, "cannot drop pages");
}

/* What the user of the other file does each time. */
static void use_work(void)
{
	for (long off = 0; off < opt.used; off += CHUNK) {
		if (opt.use == MMAP) {
			for (long p = 0; p < CHUNK; p += page_size)
				(void)*(volatile char *)(work_map + off + p);
		} else if (pread(work_fd, buf, CHUNK, off) != CHUNK) {
			err(2, "read");
		}
	}
}

/*
 * The other user is a process of its own, on the same processor: as the two take
 * turns that forgets its translations, so that each use of a mapping sets the
 * accessed bits that the LRU looks for. (An emulator may never forget them else.)
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
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		err(2, "sched_setaffinity");
	if (pipe(to_user) || pipe(from_user))
		err(2, "pipe");
	switch (fork()) {
	case -1:
		err(2, "fork");
	case 0:
		close(to_user[1]);
		if (opt.use == MMAP)
			work_map = map_whole(work_fd, opt.used);
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
		errx(2, "the user of the other file is gone");
	return faults;
}

/* What the last 8 MiB of the stream took from the file in use, which then is needed again */
static struct {
	long pages, least, lost, uses, faults, faults_before;
} work;

static long used_pages(void)
{
	return cached_pages(work_fd, (struct part){ 0, opt.used });
}

static void count_and_use(void)
{
	long n = used_pages();

	work.lost += work.pages - n;
	if (n < work.least)
		work.least = n;
	work.faults = let_user_run() - work.faults_before;
	work.uses++;
}

static void stream_file(long long *usec)
{
	for (long off = 0; off < opt.size; off += CHUNK) {
		long long began = now_usec();

		stream_chunk(off, !opt.behind);
		if (opt.behind && off >= opt.behind)
			stream_chunk(off - opt.behind, true);
		*usec += now_usec() - began;

		if ((off + CHUNK) % (8 * MiB) == 0)
			count_and_use();
	}
}

static void other_streams(void)
{
	for (char line[256]; fgets(line, sizeof(line), stdin); )
		count_and_use();
}

static void open_stream(void)
{
	fd = open_cold("stream", opt.size);
	null_fd = open("/dev/null", O_WRONLY);
	if (opt.method == URING)
		ring_setup();
	if (opt.method == MMAP)
		map = map_whole(fd, opt.size);
	if (opt.fadvise == NOREUSE && posix_fadvise(fd, 0, 0, POSIX_FADV_NOREUSE))
		errx(2, "no POSIX_FADV_NOREUSE");
}

void stream(void)
{
	struct counts before, after;
	long long usec = 0;

	if (opt.used % CHUNK || opt.size % CHUNK || opt.behind % CHUNK)
		errx(2, "sizes of streams are whole MiB");
	if (opt.threads > 1 && (opt.method == URING || CHUNK / opt.threads % page_size))
		errx(2, "threads: 1 by uring, else 2, 4, 8 and so on");
	buf = aligned_alloc(page_size, CHUNK);
	if (!buf)
		err(2, "aligned_alloc");
	if (opt.method != OTHER)
		open_stream();
	work_fd = opt.same ? open_cold("stream", opt.size) : open_cold("used", opt.used);
	start_user();
	for (int i = 0; i < 3; i++)
		work.faults_before = let_user_run();
	work.pages = opt.used / page_size;
	work.least = used_pages();

	before = counts_before(RUSAGE_SELF);
	if (opt.method == OTHER)
		other_streams();
	else
		stream_file(&usec);
	after = counts_after(RUSAGE_SELF);
	if (!work.uses)
		errx(2, "the other file was not used once");
	/* The stream's own */
	after.usec = before.usec + usec;

	printf("resident=%.1f lost=%ld uses=%ld use_majflt=%ld ",
	       100.0 * work.least / work.pages, work.lost, work.uses, work.faults);
	print_counts(&before, &after);
}
