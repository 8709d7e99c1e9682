/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * halt.S - a kernel as far as anybody can tell who looks at the file, that does nothing at all.
 */
	.section .note.Xen, "a", @note
	.long 4, 4, 18 /* name, description, the PVH entry */
	.asciz "Xen"
	.long _start

	.section .rodata, "a", @progbits
	.asciz "Linux version 6.0.0-halt (rig) (gcc (rig) 12.2.0) #1"

	.text
	.globl _start
_start:	cli
1:	hlt
	jmp 1b

	.section .note.GNU-stack, "", @progbits
