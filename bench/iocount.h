/* SPDX-License-Identifier: GPL-2.0-only */
/* What a block device has read so far. */
#ifndef IOCOUNT_H
#define IOCOUNT_H

#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct io_count {
	unsigned long long reads, sectors;
	unsigned int in_flight;
};

/*
 * The block device that @path, which begins with a slash, is on: the source of the
 * mount that is nearest above. Not what st_dev names: btrfs makes that up.
 */
static inline const char *io_device(const char *path)
{
	char line[1024], at[256], source[64], *options;
	static char name[64];
	size_t nearest = 0;
	FILE *f;

	if (*name)
		return name;
	f = fopen("/proc/self/mountinfo", "r");
	while (f && fgets(line, sizeof(line), f)) {
		options = strstr(line, " - ");
		if (sscanf(line, "%*d %*d %*s %*s %255s", at) == 1 && options &&
		    strlen(at) >= nearest && !strncmp(path, at, strlen(at)) &&
		    sscanf(options, " - %*s /dev/%63s", source) == 1) {
			nearest = strlen(at);
			strcpy(name, source);
		}
	}
	if (!nearest)
		errx(2, "%s: found no block device that it is on", path);
	fclose(f);
	return name;
}

static inline struct io_count io_count(const char *path)
{
	struct io_count c = { 0 };
	char name[128];
	FILE *f;

	snprintf(name, sizeof(name), "/sys/class/block/%s/stat", io_device(path));
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
