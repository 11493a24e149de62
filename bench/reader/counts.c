// SPDX-License-Identifier: GPL-2.0-only
/* What a run costs: counts of the kernel's, and the time */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "reader.h"

/*
 * Before 6.7 a fault that lets go of the mmap lock counts as a major one of the
 * process, be it only to start a readahead. What the VM counts is right.
 */
static int retries_are_major(void)
{
	static int old = -1;
	unsigned int version, patchlevel;
	struct utsname name;

	if (old < 0)
		old = !uname(&name) &&
		      sscanf(name.release, "%u.%u", &version, &patchlevel) == 2 &&
		      (version < 6 || (version == 6 && patchlevel < 7));
	return old;
}

static void vm_counts(struct counts *c)
{
	FILE *f = fopen("/proc/vmstat", "r");
	char name[64];
	long v;

	if (!f)
		err(2, "/proc/vmstat");
	while (fscanf(f, "%63s %ld", name, &v) == 2) {
		if (!strcmp(name, "workingset_refault_file"))
			c->refaults = v;
		else if (!strcmp(name, "workingset_activate_file"))
			c->activated = v;
		else if (!strcmp(name, "pgmajfault") && retries_are_major())
			c->majflt = v;
	}
	fclose(f);
}

long long now_usec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static void own_counts(struct counts *c, int who)
{
	struct rusage r;

	c->usec = now_usec();
	getrusage(who, &r);
	if (!retries_are_major())
		c->majflt = r.ru_majflt;
	c->minflt = r.ru_minflt;
}

struct counts counts_before(int who)
{
	struct counts c = { 0 };

	c.device = io_count(opt.at);
	vm_counts(&c);
	own_counts(&c, who);
	return c;
}

struct counts counts_after(int who)
{
	struct counts c = { 0 };

	own_counts(&c, who);
	c.device = io_count_idle(opt.at);
	vm_counts(&c);
	return c;
}

void print_counts(const struct counts *before, const struct counts *after)
{
	printf("majflt=%ld minflt=%ld reads=%llu kib=%llu refaults=%ld activated=%ld usec=%lld",
	       after->majflt - before->majflt, after->minflt - before->minflt,
	       after->device.reads - before->device.reads,
	       (after->device.sectors - before->device.sectors) / 2,
	       after->refaults - before->refaults, after->activated - before->activated,
	       after->usec - before->usec);
}

long cached_pages(int fd, struct part part)
{
	size_t pages = (part.len + page_size - 1) / page_size;
	unsigned char *vec = malloc(pages);
	void *map = mmap(NULL, part.len, PROT_READ, MAP_SHARED, fd, part.start);
	long n = 0;

	if (!vec || map == MAP_FAILED || mincore(map, part.len, vec))
		err(2, "mincore");
	for (size_t i = 0; i < pages; i++)
		n += vec[i] & 1;
	munmap(map, part.len);
	free(vec);
	return n;
}
