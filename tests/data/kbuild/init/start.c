#include "common.h"

const char banner[] = "Linux version 6.99.0-fake (rig@rig) (gcc (Debian 12.2.0-14) 12.2.0, "
		      "GNU ld 2.40) #1 SMP Thu Jan  1 00:00:00 UTC 1970";

__asm__(".pushsection .note.Xen, \"a\", @note\n"
	".long 4, 8, 18\n"
	".asciz \"Xen\"\n"
	".quad start\n"
	".popsection\n");

void start(void)
{
	for (volatile int i = answer() + question() + banner[0];; i++)
		;
}
