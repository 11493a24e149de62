// SPDX-License-Identifier: GPL-2.0-only
/*
 * clip FILE WIDTH HEIGHT FRAMES - write raw video (8 bit, 4:2:0) to encode: a
 * picture that stays, with some noise in it, and a square that moves over it.
 * What stays is cheap to encode, so that the clip is read at some speed even in
 * an emulator.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SQUARE	32L

int main(int argc, char *argv[])
{
	long width, height, frames, size;
	unsigned char *picture, *frame;
	uint32_t noise = 1;
	FILE *f;

	if (argc != 5)
		errx(2, "usage: clip FILE WIDTH HEIGHT FRAMES");
	width = atol(argv[2]);
	height = atol(argv[3]);
	frames = atol(argv[4]);
	if (width <= SQUARE || height <= SQUARE || frames < 1 || width % 2 || height % 2)
		errx(2, "width and height have to be even and above %ld, frames above 0", SQUARE);

	size = width * height * 3 / 2;
	picture = malloc(size);
	frame = malloc(size);
	f = fopen(argv[1], "w");
	if (!picture || !frame || !f)
		err(2, "%s", argv[1]);
	for (long i = 0; i < width * height; i++) {
		noise = noise * 1664525 + 1013904223;
		picture[i] = (i % width + i / width) / 4 + (noise >> 31);
	}
	/* both colours, a quarter each */
	memset(picture + width * height, 128, size - width * height);

	for (long n = 0; n < frames; n++) {
		memcpy(frame, picture, size);
		for (long y = 0; y < SQUARE; y++)
			memset(frame + (n % (height - SQUARE) + y) * width + n % (width - SQUARE),
			       235, SQUARE);
		if (fwrite(frame, size, 1, f) != 1)
			err(2, "%s", argv[1]);
	}
	if (fclose(f))
		err(2, "%s", argv[1]);
	return 0;
}
