// SPDX-License-Identifier: GPL-2.0-only
/*
 * clip FILE WIDTH HEIGHT FRAMES - write raw video (8 bit, 4:2:0) to encode: a
 * gradient that moves, with some noise that no frame shares with another.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char *argv[])
{
	long width, height, frames;
	uint32_t noise = 1;
	unsigned char *row;
	FILE *f;

	if (argc != 5)
		errx(2, "usage: clip FILE WIDTH HEIGHT FRAMES");
	width = atol(argv[2]);
	height = atol(argv[3]);
	frames = atol(argv[4]);
	if (width < 2 || height < 2 || frames < 1 || width % 2 || height % 2)
		errx(2, "width and height have to be even, and there has to be a frame");

	f = fopen(argv[1], "w");
	row = malloc(width);
	if (!f || !row)
		err(2, "%s", argv[1]);
	for (long n = 0; n < frames; n++) {
		for (long y = 0; y < height; y++) {
			for (long x = 0; x < width; x++) {
				noise = noise * 1664525 + 1013904223;
				row[x] = (x + y + 2 * n) / 2 + (noise >> 29);
			}
			if (fwrite(row, width, 1, f) != 1)
				err(2, "%s", argv[1]);
		}
		/* both colours, a quarter each */
		for (long y = 0; y < height; y++) {
			for (long x = 0; x < width / 2; x++)
				row[x] = 128 + ((x - y + n) & 15);
			if (fwrite(row, width / 2, 1, f) != 1)
				err(2, "%s", argv[1]);
		}
	}
	if (fclose(f))
		err(2, "%s", argv[1]);
	return 0;
}
