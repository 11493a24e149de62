/* SPDX-License-Identifier: GPL-2.0-only */
/* What a block device has read so far. */
#ifndef IOCOUNT_H
#define IOCOUNT_H

#include <err.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct io_count {
	unsigned long long reads, sectors;
	unsigned int in_flight;
};

/* of the device that @path is on */
static inline struct io_count io_count(const char *path)
{
	struct io_count c = { 0 };
	struct stat st;
	char name[64];
	FILE *f;

	if (stat(path, &st))
		err(2, "%s", path);
	snprintf(name, sizeof(name), "/sys/dev/block/%u:%u/stat",
		 major(st.st_dev), minor(st.st_dev));
	f = fopen(name, "r");
	if (!f)
		err(2, "%s", name);
	if (fscanf(f, "%llu %*u %llu %*u %*u %*u %*u %*u %u", &c.reads, &c.sectors,
		   &c.in_flight) != 3)
		errx(2, "%s: no counts in it", name);
	fclose(f);
	return c;
}

/* The same when nothing is under way: a reader may end before all has arrived. */
static inline struct io_count io_count_idle(const char *path)
{
	struct io_count c = io_count(path);

	while (c.in_flight) {
		usleep(1000);
		c = io_count(path);
	}
	return c;
}

#endif
