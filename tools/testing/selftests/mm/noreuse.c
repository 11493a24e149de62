// SPDX-License-Identifier: GPL-2.0-only
/*
 * POSIX_FADV_NOREUSE: what is read through a file that has it is read ahead and
 * cached as ever, but its pages do not count as used, and so do not take the
 * place of pages that others use.
 *
 * Two things are looked at, and never the time: the flags of the pages that
 * have been read (/proc/kpageflags), and how much of a file in use is left
 * (mincore(2)) after a stream that is larger than a memory cgroup. Both need
 * root. Each test is done with the classic LRU and with MGLRU, where there is
 * one; the setting is put back at the end.
 *
 * The files are created in $NOREUSE_DIR, else in $TMPDIR, else in the current
 * directory, and unlinked at once. tmpfs will not do.
 */

#define _GNU_SOURCE
#include "kselftest_harness.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/magic.h>
#include <linux/mman.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vm_util.h"

#define MiB		(1024L * 1024)
#define CHUNK		MiB
#define LIMIT		(64 * MiB)
#define STREAM		(256 * MiB)
#define WORK		(16 * MiB)
#define TOUCH_EVERY	(8 * MiB)

/* Flags of /proc/kpageflags */
#define ACTIVE		BIT_ULL(6)
#define USED		(BIT_ULL(2) | ACTIVE)	/* referenced or active */

#define LRU_GEN		"/sys/kernel/mm/lru_gen/enabled"
#define CGROUP		"/sys/fs/cgroup"

/* Streaming some GiB in an emulator takes a while. */
#define STREAM_TIMEOUT	600

enum method {
	READ, PREAD, READV, PREADV2, SPLICE, SENDFILE, COPY_FILE_RANGE, IO_URING,
	NR_READS,
	MMAP = NR_READS,
};

static const char * const method_names[] = {
	"read", "pread", "readv", "preadv2", "splice", "sendfile",
	"copy_file_range", "io_uring", "mmap",
};

static long min(long a, long b)
{
	return a < b ? a : b;
}

static char saved_lru_gen[32];

static const char *test_dir(void)
{
	const char *dir = getenv("NOREUSE_DIR") ?: getenv("TMPDIR");

	return dir && *dir ? dir : ".";
}

static bool write_string(const char *path, const char *s)
{
	int fd = open(path, O_WRONLY);
	bool ok = fd >= 0 && write(fd, s, strlen(s)) == (ssize_t)strlen(s);

	if (fd >= 0)
		close(fd);
	return ok;
}

static void restore_lru(void)
{
	write_string(LRU_GEN, saved_lru_gen);
}

/* Runs once, before the tests are forked off, and so at their end. */
static void save_lru(void)
{
	int fd = open(LRU_GEN, O_RDWR);

	if (fd < 0)
		return;
	if (read(fd, saved_lru_gen, sizeof(saved_lru_gen) - 1) > 0)
		atexit(restore_lru);
	close(fd);
}

static int open_temp(void)
{
	return open(test_dir(), O_TMPFILE | O_RDWR, 0600);
}

/* The same file, opened anew: without the flags of @fd. */
static int reopen(int fd)
{
	char path[sizeof("/proc/self/fd/") + 12];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY);
}

static bool fill(int fd, long size, char *buf)
{
	memset(buf, 'x', CHUNK);
	for (long off = 0; off < size; off += CHUNK)
		if (pwrite(fd, buf, CHUNK, off) != CHUNK)
			return false;
	return !fsync(fd);
}

/* By mincore(2), which does not tell of what is being read. */
static long cached_read(int fd, long size)
{
	unsigned char *vec = malloc(size / psize());
	char *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	long n = -1;

	if (vec && map != MAP_FAILED && !mincore(map, size, vec)) {
		n = 0;
		for (long i = 0; i < size / psize(); i++)
			n += (vec[i] & 1) * psize();
	}
	if (map != MAP_FAILED)
		munmap(map, size);
	free(vec);
	return n;
}

/*
 * How many of the file's first @size bytes are cached? With @reading those that
 * are being read count, too; without cachestat(2) that is waited for.
 */
static long cached(int fd, long size, bool reading)
{
	struct cachestat_range range = { .len = size };
	struct cachestat cs;
	long n, before;

	if (reading && !syscall(__NR_cachestat, fd, &range, &cs, 0))
		return cs.nr_cache * psize();

	n = cached_read(fd, size);
	if (!reading)
		return n;
	do {
		before = n;
		usleep(20 * 1000);
		n = cached_read(fd, size);
	} while (n != before);
	return n;
}

/* Pages that are still being read, ahead of a reader, cannot be dropped. */
static bool drop_cache(int fd, long size)
{
	for (int i = 0; i < 500; i++) {
		if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
			return false;
		if (!cached(fd, size, true))
			return true;
		usleep(10 * 1000);
	}
	return false;
}

/*
 * One ring for all reads of a test.  The memory of a ring is freed some time
 * after it has been closed: a ring for each read would fill the memory cgroup.
 */
static struct {
	int fd;
	unsigned int *sq_tail, *cq_head, *cq_tail;
	unsigned int sq_mask, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
} ring = { .fd = -1 };

static bool open_ring(void)
{
	struct io_uring_params p = { 0 };
	unsigned int *array;
	char *sq, *cq;
	int fd;

	if (ring.fd >= 0)
		return true;
	fd = syscall(__NR_io_uring_setup, 1, &p);
	if (fd < 0)
		return false;
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(*array),
		  PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(*ring.cqes),
		  PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_CQ_RING);
	ring.sqes = mmap(NULL, p.sq_entries * sizeof(*ring.sqes),
			 PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED ||
	    (void *)ring.sqes == MAP_FAILED) {
		close(fd);
		return false;
	}
	array = (unsigned int *)(sq + p.sq_off.array);
	for (unsigned int i = 0; i < p.sq_entries; i++)
		array[i] = i;
	ring.sq_tail = (unsigned int *)(sq + p.sq_off.tail);
	ring.sq_mask = p.sq_entries - 1;
	ring.cq_head = (unsigned int *)(cq + p.cq_off.head);
	ring.cq_tail = (unsigned int *)(cq + p.cq_off.tail);
	ring.cq_mask = p.cq_entries - 1;
	ring.cqes = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
	ring.fd = fd;
	return true;
}

/* One read; -1 and errno as a system call. */
static long io_uring_read(int fd, void *to, long len, long off)
{
	unsigned int tail, head, submit = 1;
	long ret;

	if (!open_ring())
		return -1;
	tail = *ring.sq_tail;
	ring.sqes[tail & ring.sq_mask] = (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .fd = fd, .off = off,
		.addr = (uintptr_t)to, .len = len,
	};
	__atomic_store_n(ring.sq_tail, tail + 1, __ATOMIC_RELEASE);

	/* To have submitted it is not to have waited until it is done. */
	head = *ring.cq_head;
	while (__atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE) == head) {
		ret = syscall(__NR_io_uring_enter, ring.fd, submit, 1,
			      IORING_ENTER_GETEVENTS, NULL, 0);
		if (ret > 0)
			submit = 0;
		else if (ret < 0 && errno != EINTR)
			return -1;
	}
	ret = ring.cqes[head & ring.cq_mask].res;
	__atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
	if (ret < 0) {
		errno = -ret;
		return -1;
	}
	return ret;
}

FIXTURE(noreuse)
{
	char cgroup[sizeof(CGROUP "/noreuse-") + 12];
	char *buf;
	char *map;		/* of the stream, where it is read by mmap */
	int fd;			/* the file that the tests fill */
	int null_fd;
	int out_fd;		/* where copy_file_range() copies to */
	int pipe[2];
};

FIXTURE_VARIANT(noreuse)
{
	const char *lru_gen;
};

FIXTURE_VARIANT_ADD(noreuse, classic)
{
	.lru_gen = "n",
};

FIXTURE_VARIANT_ADD(noreuse, mglru)
{
	.lru_gen = "y",
};

FIXTURE_SETUP(noreuse)
{
	struct statfs st;
	cpu_set_t cpus;

	self->cgroup[0] = '\0';
	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(statfs(test_dir(), &st), 0);
	if (st.f_type == TMPFS_MAGIC)
		SKIP(return, "%s is on tmpfs", test_dir());
	if (*variant->lru_gen == 'y' && !saved_lru_gen[0])
		SKIP(return, "no MGLRU");
	if (saved_lru_gen[0])
		ASSERT_TRUE(write_string(LRU_GEN, variant->lru_gen));

	self->buf = aligned_alloc(psize(), CHUNK);
	ASSERT_NE(self->buf, NULL);
	self->fd = open_temp();
	if (self->fd < 0)
		SKIP(return, "%s: no O_TMPFILE", test_dir());
	self->null_fd = open("/dev/null", O_WRONLY);
	self->out_fd = -1;
	ASSERT_EQ(pipe(self->pipe), 0);

	/*
	 * Folios wait in a batch of the CPU before they change lists, until
	 * something like POSIX_FADV_DONTNEED drains it.
	 */
	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	ASSERT_EQ(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

/* The cgroup is empty when the process of the test has gone. */
FIXTURE_TEARDOWN_PARENT(noreuse)
{
	if (self->cgroup[0])
		rmdir(self->cgroup);
}

/* Move this process to a memory cgroup of LIMIT bytes. */
static bool enter_cgroup(FIXTURE_DATA(noreuse) * self)
{
	char path[sizeof(self->cgroup) + sizeof("/memory.swap.max")];
	char limit[24];

	write_string(CGROUP "/cgroup.subtree_control", "+memory");
	snprintf(self->cgroup, sizeof(self->cgroup), CGROUP "/noreuse-%d", getpid());
	if (mkdir(self->cgroup, 0755)) {
		self->cgroup[0] = '\0';
		return false;
	}
	snprintf(path, sizeof(path), "%s/memory.max", self->cgroup);
	snprintf(limit, sizeof(limit), "%ld", LIMIT);
	if (!write_string(path, limit))
		return false;
	snprintf(path, sizeof(path), "%s/cgroup.procs", self->cgroup);
	return write_string(path, "0");
}

static bool have_space(long size)
{
	struct statfs st;

	return !statfs(test_dir(), &st) &&
	       (uint64_t)st.f_bavail * st.f_bsize >= (uint64_t)size;
}

/* A piece of at most CHUNK bytes at @off. Return what was read. */
static long read_piece(FIXTURE_DATA(noreuse) * self, enum method method, int fd,
		       long off, long len)
{
	struct iovec iov = { .iov_base = self->buf, .iov_len = len };
	off_t pos = off;
	long n;

	switch (method) {
	case READ:
		return lseek(fd, off, SEEK_SET) == off ? read(fd, self->buf, len) : -1;
	case PREAD:
		return pread(fd, self->buf, len, off);
	case READV:
		return lseek(fd, off, SEEK_SET) == off ? readv(fd, &iov, 1) : -1;
	case PREADV2:
		return preadv2(fd, &iov, 1, off, 0);
	case SPLICE:
		n = splice(fd, &pos, self->pipe[1], NULL, len, 0);
		if (n > 0 && splice(self->pipe[0], NULL, self->null_fd, NULL, n, 0) != n)
			return -1;
		return n;
	case SENDFILE:
		return sendfile(self->null_fd, fd, &pos, len);
	case COPY_FILE_RANGE:
		if (self->out_fd < 0)
			self->out_fd = open_temp();
		return copy_file_range(fd, &pos, self->out_fd, NULL, len, 0);
	case IO_URING:
		return io_uring_read(fd, self->buf, len, off);
	case MMAP:
		for (long p = 0; p < len; p += psize())
			FORCE_READ(self->map[off + p]);
		return len;
	}
	return -1;
}

static bool read_range(FIXTURE_DATA(noreuse) * self, enum method method, int fd,
		       long off, long size)
{
	for (long end = off + size; off < end;) {
		long len = min(end - off, CHUNK);
		long n = read_piece(self, method, fd, off, len);

		if (n <= 0)
			return false;
		off += n;
	}
	return true;
}

/*
 * What the owner of a file in use does: read all of it, by a mapping or not.
 *
 * The LRU clears accessed bits and leaves the translations to the processor,
 * which sets no bit again before it has forgotten them, at some switch to
 * another process.  Where nothing else runs, that may be never: mprotect(2)
 * makes it forget, and leaves the bits alone.
 */
static bool use_work(FIXTURE_DATA(noreuse) * self, int fd, char *map)
{
	if (!map)
		return read_range(self, PREAD, fd, 0, WORK);
	if (mprotect(map, WORK, PROT_NONE) || mprotect(map, WORK, PROT_READ))
		return false;
	for (long off = 0; off < WORK; off += psize())
		FORCE_READ(map[off]);
	return true;
}

/*
 * The flags of the folio that the page @pfn is in. Older kernels, such as 6.1,
 * show them for its first page alone.
 */
static uint64_t folio_flags(int kpageflags, unsigned long pfn)
{
	uint64_t flags = 0;

	while (!pageflags_get(pfn, kpageflags, &flags) &&
	       (flags & KPF_COMPOUND_TAIL))
		pfn--;
	return flags;
}

/*
 * How many of the file's first @size bytes are in pages with one of @flags?
 * They are mapped for that, in a way that leaves no trace.
 */
static long pages_with(int fd, long size, uint64_t flags)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY);
	int kpageflags = open("/proc/kpageflags", O_RDONLY);
	int new_fd = reopen(fd);
	long n = -1;
	char *map;

	map = mmap(NULL, size, PROT_READ, MAP_SHARED, new_fd, 0);
	if (pagemap >= 0 && kpageflags >= 0 && map != MAP_FAILED &&
	    !madvise(map, size, MADV_RANDOM)) {
		n = 0;
		for (long off = 0; off < size; off += psize()) {
			FORCE_READ(map[off]);
			n += !!(folio_flags(kpageflags, pagemap_get_pfn(pagemap, map + off)) &
				flags);
		}
	}
	if (map != MAP_FAILED)
		munmap(map, size);
	close(new_fd);
	close(kpageflags);
	close(pagemap);
	return n * psize();
}

/* How many of the first MiB's bytes count as used when @fd has read them? */
static long used_by(FIXTURE_DATA(noreuse) * self, enum method method, int fd)
{
	if (!drop_cache(self->fd, MiB) || !read_range(self, method, fd, 0, MiB))
		return -1;
	return pages_with(self->fd, MiB, USED);
}

/* Whatever way the file is read, its pages do not count as used. */
TEST_F(noreuse, reads)
{
	if (access("/proc/kpageflags", R_OK))
		SKIP(return, "no /proc/kpageflags");
	ASSERT_TRUE(fill(self->fd, MiB, self->buf));

	for (enum method m = 0; m < NR_READS; m++) {
		int plain = reopen(self->fd), marked = reopen(self->fd);
		long used;

		ASSERT_EQ(posix_fadvise(marked, 0, 0, POSIX_FADV_NOREUSE), 0);

		/* This is what a read without the flag does ... */
		used = used_by(self, m, plain);
		if (used < 0 && m == IO_URING) {
			ksft_print_msg("no io_uring: %s\n", strerror(errno));
			continue;
		}
		/* ... but for a copy that needs no page, as of a reflink. */
		if (m == COPY_FILE_RANGE && !used)
			continue;
		EXPECT_EQ(used, MiB)
			TH_LOG("%s: %ld bytes", method_names[m], used);

		/* The flag takes that away, for the first read and the second. */
		EXPECT_EQ(used_by(self, m, marked), 0)
			TH_LOG("%s, noreuse", method_names[m]);
		EXPECT_TRUE(read_range(self, m, marked, 0, MiB));
		EXPECT_EQ(pages_with(self->fd, MiB, USED), 0)
			TH_LOG("%s, noreuse, again", method_names[m]);
		close(plain);
		close(marked);
	}
}

/*
 * The flag belongs to the open file: POSIX_FADV_NORMAL clears it, a duplicate
 * and a child share it, another open of the same file does not have it.
 */
TEST_F(noreuse, life_cycle)
{
	int fd, other, status;
	pid_t pid;

	if (access("/proc/kpageflags", R_OK))
		SKIP(return, "no /proc/kpageflags");
	ASSERT_TRUE(fill(self->fd, MiB, self->buf));
	fd = reopen(self->fd);

	ASSERT_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_NOREUSE), 0);
	EXPECT_EQ(used_by(self, PREAD, fd), 0);
	ASSERT_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL), 0);
	EXPECT_EQ(used_by(self, PREAD, fd), MiB);

	/* Set in a duplicate, seen in the original. */
	other = dup(fd);
	ASSERT_EQ(posix_fadvise(other, 0, 0, POSIX_FADV_NOREUSE), 0);
	EXPECT_EQ(used_by(self, PREAD, fd), 0);
	close(other);
	EXPECT_EQ(used_by(self, PREAD, fd), 0);

	/* A file that is opened anew begins without it. */
	other = reopen(fd);
	EXPECT_EQ(used_by(self, PREAD, other), MiB);
	close(other);

	/* Cleared in a child, seen in the parent. */
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (used_by(self, PREAD, fd) != 0)
			_exit(1);
		_exit(!!posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL));
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(used_by(self, PREAD, fd), MiB);
}

/*
 * A page that somebody else uses stays what it is when it is read with the
 * flag, and what the other one does with it counts as before.
 */
TEST_F(noreuse, two_users)
{
	int user, stream, empty;

	if (access("/proc/kpageflags", R_OK))
		SKIP(return, "no /proc/kpageflags");
	ASSERT_TRUE(fill(self->fd, MiB, self->buf));
	user = reopen(self->fd);
	stream = reopen(self->fd);
	ASSERT_EQ(posix_fadvise(stream, 0, 0, POSIX_FADV_NOREUSE), 0);

	/* Read by the stream first: new to the user all the same. */
	EXPECT_EQ(used_by(self, PREAD, stream), 0);
	ASSERT_TRUE(read_range(self, PREAD, user, 0, MiB));
	EXPECT_EQ(pages_with(self->fd, MiB, USED), MiB);
	EXPECT_EQ(pages_with(self->fd, MiB, ACTIVE), 0);

	/* The stream again: neither more nor less. */
	ASSERT_TRUE(read_range(self, PREAD, stream, 0, MiB));
	EXPECT_EQ(pages_with(self->fd, MiB, USED), MiB);
	EXPECT_EQ(pages_with(self->fd, MiB, ACTIVE), 0);
	if (*variant->lru_gen == 'y')
		return;

	/* The user's second read makes the pages active, which they stay. */
	ASSERT_TRUE(read_range(self, PREAD, user, 0, MiB));
	empty = open_temp();
	ASSERT_EQ(posix_fadvise(empty, 0, 0, POSIX_FADV_DONTNEED), 0);
	EXPECT_EQ(pages_with(self->fd, MiB, ACTIVE), MiB);
	ASSERT_TRUE(read_range(self, PREAD, stream, 0, MiB));
	EXPECT_EQ(pages_with(self->fd, MiB, ACTIVE), MiB);
}

/* Readahead is what it was: the flag is not MADV_RANDOM or MADV_SEQUENTIAL. */
TEST_F(noreuse, readahead)
{
	const long size = 4 * MiB;
	long *plain = calloc(size / psize(), sizeof(*plain));
	struct cachestat_range range = { .len = size };
	struct cachestat cs;

	if (syscall(__NR_cachestat, self->fd, &range, &cs, 0))
		SKIP(return, "no cachestat");
	ASSERT_NE(plain, NULL);
	ASSERT_TRUE(fill(self->fd, size, self->buf));
	for (int noreuse = 0; noreuse < 2; noreuse++) {
		int fd = reopen(self->fd);

		ASSERT_TRUE(drop_cache(fd, size));
		if (noreuse)
			ASSERT_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_NOREUSE), 0);
		for (long i = 0; i < size / psize(); i++) {
			long n;

			ASSERT_EQ(pread(fd, self->buf, psize(), i * psize()), psize());
			n = cached(fd, size, true);
			if (noreuse)
				ASSERT_EQ(n, plain[i]);
			plain[i] = n;
		}
		/* It was read ahead, and not all at once. */
		ASSERT_GT(plain[0], psize());
		ASSERT_LT(plain[0], size);
		close(fd);
	}
	free(plain);
}

/*
 * A stream of four times the memory leaves a file in use where it is. Its parts
 * are read once, or twice at a distance at which they are still cached, which
 * without the flag makes them pages in use themselves:
 *
 *	0                                            STREAM
 *	|-------------------|======|--------------------|
 *	                    ^ again ^ now
 *
 * With @shared the file in use is itself streamed, too, again and again.
 */
static void stream(struct __test_metadata *_metadata,
		   FIXTURE_DATA(noreuse) * self, enum method method, bool shared)
{
	static const long behind[] = { 0, 1 * MiB, 4 * MiB, 8 * MiB };
	int work_fd, stream_fd, work_new_fd, shared_fd;
	char *work;

	if (!have_space(STREAM + WORK))
		SKIP(return, "%s: not enough space", test_dir());
	/* From outside: a cgroup full of dirty pages may run out of memory. */
	ASSERT_TRUE(fill(self->fd, STREAM, self->buf));
	if (!enter_cgroup(self))
		SKIP(return, "no memory cgroup at " CGROUP);

	stream_fd = reopen(self->fd);
	ASSERT_EQ(posix_fadvise(stream_fd, 0, 0, POSIX_FADV_NOREUSE), 0);
	if (method == IO_URING &&
	    read_piece(self, method, stream_fd, 0, psize()) < 0)
		SKIP(return, "io_uring: %s", strerror(errno));
	work_fd = open_temp();
	ASSERT_TRUE(fill(work_fd, WORK, self->buf));
	work_new_fd = reopen(work_fd);
	work = mmap(NULL, WORK, PROT_READ, MAP_SHARED, work_new_fd, 0);
	ASSERT_NE(work, MAP_FAILED);
	shared_fd = reopen(work_fd);
	ASSERT_EQ(posix_fadvise(shared_fd, 0, 0, POSIX_FADV_NOREUSE), 0);

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(behind); i++) {
		const long again = behind[i / 2];
		const bool mapped = i % 2;
		long least = WORK;

		ASSERT_TRUE(drop_cache(self->fd, STREAM));
		self->map = mmap(NULL, STREAM, PROT_READ, MAP_SHARED, stream_fd, 0);
		ASSERT_NE(self->map, MAP_FAILED);
		for (int warm = 0; warm < 3; warm++)
			ASSERT_TRUE(use_work(self, work_new_fd, mapped ? work : NULL));

		for (long off = 0; off < STREAM; off += CHUNK) {
			ASSERT_TRUE(read_range(self, method, stream_fd, off, CHUNK));
			if (again && off >= again)
				ASSERT_TRUE(read_range(self, method, stream_fd,
						       off - again, CHUNK));
			if ((off + CHUNK) % TOUCH_EVERY)
				continue;
			if (shared)
				ASSERT_TRUE(read_range(self, method, shared_fd, 0, WORK));
			least = min(least, cached(work_fd, WORK, false));
			ASSERT_TRUE(use_work(self, work_new_fd, mapped ? work : NULL));
		}
		ksft_print_msg("%s, again after %ld MiB, beside %s: %ld of %ld KiB stayed\n",
			       method_names[method], again / MiB,
			       mapped ? "mmap" : "read", least >> 10, WORK >> 10);
		EXPECT_GE(least, WORK / 100 * 95);
		ASSERT_EQ(munmap(self->map, STREAM), 0);
	}
}

TEST_F_TIMEOUT(noreuse, stream_read, STREAM_TIMEOUT)
{
	stream(_metadata, self, READ, false);
}

TEST_F_TIMEOUT(noreuse, stream_sendfile, STREAM_TIMEOUT)
{
	stream(_metadata, self, SENDFILE, false);
}

TEST_F_TIMEOUT(noreuse, stream_io_uring, STREAM_TIMEOUT)
{
	stream(_metadata, self, IO_URING, false);
}

TEST_F_TIMEOUT(noreuse, stream_mmap, STREAM_TIMEOUT)
{
	stream(_metadata, self, MMAP, false);
}

TEST_F_TIMEOUT(noreuse, stream_shared, STREAM_TIMEOUT)
{
	stream(_metadata, self, READ, true);
}

int main(int argc, char **argv)
{
	save_lru();
	return test_harness_run(argc, argv);
}
