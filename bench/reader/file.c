// SPDX-License-Identifier: GPL-2.0-only
/* Files, and the settings of the kernel that they are read under */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "reader.h"

#define CGROUP	"/sys/fs/cgroup/reader"

char *name_in_dir(const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", opt.at, name) < 0)
		err(2, "asprintf");
	return path;
}

/* Each page carries its index, so that reading a wrong page shows. */
static void make_file(const char *path, size_t size)
{
	size_t len = MiB;
	uint64_t *buf;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		err(2, "%s", path);
	buf = calloc(1, len);
	if (!buf)
		err(2, "calloc");
	for (size_t off = 0; off < size; off += len) {
		size_t n = size - off < len ? size - off : len;

		for (size_t i = 0; i < n; i += page_size)
			buf[i / sizeof(*buf)] = (off + i) / page_size;
		for (size_t done = 0; done < n; ) {
			ssize_t w = pwrite(fd, (char *)buf + done, n - done, off + done);

			if (w <= 0)
				err(2, "write %s", path);
			done += w;
		}
	}
	if (fsync(fd))
		err(2, "fsync %s", path);
	close(fd);
	free(buf);
}

int open_cold(const char *name, size_t size)
{
	struct part whole = { 0, size };
	char *path = name_in_dir(name);
	struct stat st;
	long cached;
	int fd;

	if (stat(path, &st) || (size_t)st.st_size != size)
		make_file(path, size);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(2, "%s", path);
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		errx(2, "%s: cannot drop its pages", path);
	cached = cached_pages(fd, whole);
	if (cached)
		errx(2, "%s: %ld pages stay cached, this would be no cold run", path, cached);
	free(path);
	return fd;
}

void *map_whole(int fd, size_t size)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		err(2, "mmap");
	if (madvise(map, size, advice_values[opt.advice]))
		err(2, "madvise");
	return map;
}

static void set(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) != (ssize_t)strlen(value))
		err(2, "%s: %s", path, value);
	close(fd);
}

static void set_readahead(void)
{
	char path[128], value[32];
	glob_t found = { 0 };
	struct stat st;

	if (stat(opt.at, &st))
		err(2, "%s", opt.at);
	snprintf(path, sizeof(path), "/sys/class/bdi/%u:%u/read_ahead_kb",
		 major(st.st_dev), minor(st.st_dev));
	/* btrfs names its own after itself; there is one in the guest */
	if (access(path, F_OK) &&
	    !glob("/sys/class/bdi/btrfs-*/read_ahead_kb", 0, NULL, &found))
		snprintf(path, sizeof(path), "%s", found.gl_pathv[0]);
	globfree(&found);
	snprintf(value, sizeof(value), "%ld", opt.ra);
	set(path, value);
}

void set_scene(void)
{
	char value[32];

	set_readahead();
	set("/sys/kernel/mm/lru_gen/enabled", opt.lru ? "y" : "n");
	if (!opt.mem)
		return;
	if (access(CGROUP, F_OK) && mkdir(CGROUP, 0700))
		err(2, "%s", CGROUP);
	snprintf(value, sizeof(value), "%ld", opt.mem);
	set(CGROUP "/memory.max", value);
	set(CGROUP "/cgroup.procs", "0");
}
