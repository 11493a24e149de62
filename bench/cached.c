// SPDX-License-Identifier: GPL-2.0-only
/* cached OFFSET FILE... - pages of the files that are cached, from OFFSET on */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	long page_size = sysconf(_SC_PAGESIZE), cached = 0, pages = 0;
	off_t offset;

	if (argc < 3)
		errx(2, "usage: cached OFFSET FILE...");
	offset = atoll(argv[1]) / page_size * page_size;
	for (int i = 2; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY);
		unsigned char *vec;
		struct stat st;
		size_t len, n;
		void *map;

		if (fd < 0 || fstat(fd, &st))
			err(2, "%s", argv[i]);
		if (st.st_size <= offset) {
			close(fd);
			continue;
		}
		len = st.st_size - offset;
		n = (len + page_size - 1) / page_size;
		vec = malloc(n);
		map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, offset);
		if (!vec || map == MAP_FAILED || mincore(map, len, vec))
			err(2, "mincore %s", argv[i]);
		pages += n;
		while (n--)
			cached += vec[n] & 1;
		munmap(map, len);
		free(vec);
		close(fd);
	}
	printf("cached=%ld pages=%ld\n", cached, pages);
	return 0;
}
