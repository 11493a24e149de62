// SPDX-License-Identifier: GPL-2.0-only
/*
 * What exec.job starts: a program, or a library, whose text, rodata and data are
 * of PAD bytes each, of which it uses a few. With NOLIBC it has nothing else, so
 * that a static program can be small; with LIBRARY it does so when it is loaded.
 */
#ifndef PAD
#define PAD 4096
#endif
#define STR_(x) #x
#define STR(x) STR_(x)

/* ret; three of these are called */
asm(".pushsection .text\n text_pad: .skip " STR(PAD) " + 1, 0xc3\n .popsection");
asm(".pushsection .rodata\n rodata_pad: .skip " STR(PAD) " + 1, 1\n .popsection");
asm(".pushsection .data\n data_pad: .skip " STR(PAD) " + 1, 1\n .popsection");

#define HIDDEN __attribute__((visibility("hidden")))
extern HIDDEN char text_pad[], data_pad[];
extern HIDDEN const char rodata_pad[];

#ifdef LIBRARY
__attribute__((constructor))
#endif
static void use(void)
{
	for (long i = 0; i <= PAD; i += PAD / 2) {
		((void (*)(void))(text_pad + i))();
		((volatile char *)data_pad)[i] += ((const volatile char *)rodata_pad)[i];
	}
}

#ifdef NOLIBC
__attribute__((force_align_arg_pointer)) void _start(void)
{
	use();
	asm volatile("syscall" : : "a" (60L), "D" (0L) : "rcx", "r11", "memory");
	__builtin_unreachable();
}
#elif !defined(LIBRARY)
int main(void)
{
	use();
	return 0;
}
#endif
