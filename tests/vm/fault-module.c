/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fault-module.c - harm that only the kernel can do to itself.
 *
 * Distributions' kernels have no hook for it, and headers to build a module with are not always
 * there. So a module of the kernel's own is taken from the guest's disk, under another name, and
 * its init is led to a few bytes of our own; without its signature it is loaded as an unsigned one.
 */
#include "fault.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIGNED "~Module signature appended~\n"
/* In struct module, behind its state and its place in a list. */
#define NAME_OFFSET 24
/* Of CPUID 7, in EBX. */
#define SMAP (1u << 20)

struct module {
	unsigned char *data;
	size_t size;
};

static struct module found; /* of nftw(3), which passes nothing on */

static Elf64_Ehdr *header(const struct module *module)
{
	return (Elf64_Ehdr *)module->data;
}

static Elf64_Shdr *section(const struct module *module, size_t i)
{
	return (Elf64_Shdr *)(module->data + header(module)->e_shoff) + i;
}

static const char *section_name(const struct module *module, size_t i)
{
	const Elf64_Shdr *names = section(module, header(module)->e_shstrndx);

	return (const char *)module->data + names->sh_offset + section(module, i)->sh_name;
}

/* The bytes of the signature are the ones before the 12 that describe it. */
static void strip_signature(struct module *module)
{
	size_t end = module->size - strlen(SIGNED);
	uint32_t length;

	if (module->size < strlen(SIGNED) + 12 ||
	    memcmp(module->data + end, SIGNED, strlen(SIGNED)))
		return;
	memcpy(&length, module->data + end - 4, sizeof(length));
	module->size = end - 12 - __builtin_bswap32(length);
}

static void rename_module(struct module *module, int number)
{
	for (size_t i = 0; i < header(module)->e_shnum; i++)
		if (!strcmp(section_name(module, i), ".gnu.linkonce.this_module"))
			sprintf((char *)module->data + section(module, i)->sh_offset + NAME_OFFSET,
				"rig_fault_%d", number);
}

/* A section that only tells who compiled it becomes one that is run: CODE, behind the file's end.
 */
static size_t make_code_section(struct module *module, const unsigned char *code, size_t length)
{
	for (size_t i = 1; i < header(module)->e_shnum; i++) {
		Elf64_Shdr *one = section(module, i);

		if (one->sh_type != SHT_PROGBITS || (one->sh_flags & SHF_ALLOC))
			continue;
		one->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
		one->sh_offset = module->size;
		one->sh_size = length;
		one->sh_addralign = 16;
		memcpy(module->data + module->size, code, length);
		module->size += length;
		return i;
	}
	return 0;
}

static bool lead_init(struct module *module, size_t to)
{
	for (size_t i = 0; i < header(module)->e_shnum; i++) {
		Elf64_Shdr *one = section(module, i);
		Elf64_Sym *symbols = (Elf64_Sym *)(module->data + one->sh_offset);
		const char *names;

		if (one->sh_type != SHT_SYMTAB)
			continue;
		names = (const char *)module->data + section(module, one->sh_link)->sh_offset;
		for (size_t s = 0; s < one->sh_size / sizeof(*symbols); s++)
			if (!strcmp(names + symbols[s].st_name, "init_module")) {
				symbols[s].st_shndx = to;
				symbols[s].st_value = 0;
				return true;
			}
	}
	return false;
}

/* One that the kernel of this guest has, and that needs no other. */
static int take_module(const char *path, const struct stat *info, int type, struct FTW *at)
{
	const char *name = path + at->base;
	int fd;

	if (type != FTW_F || (strcmp(name, "loop.ko") && strcmp(name, "brd.ko")))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	found.data = malloc(info->st_size + 4096);
	found.size = info->st_size;
	if (fd < 0 || read(fd, found.data, found.size) != info->st_size)
		exit(9);
	close(fd);
	return 1;
}

/* Never comes back where CODE does not. */
static void load(const unsigned char *code, size_t length, int number)
{
	size_t to;

	if (nftw("/lib/modules", take_module, 16, FTW_PHYS) != 1) {
		fprintf(stderr, "fault: no module to break\n");
		exit(9);
	}
	strip_signature(&found);
	rename_module(&found, number);
	to = make_code_section(&found, code, length);
	if (!to || !lead_init(&found, to))
		exit(9);
	if (syscall(SYS_init_module, found.data, found.size, "") < 0)
		fprintf(stderr, "fault: the module was not loaded: %s\n", strerror(errno));
	exit(9);
}

static void load_null_pointer(int cpu)
{
	static const unsigned char code[] = {
		0xf3, 0x0f, 0x1e, 0xfa, /* endbr64 */
		0x31, 0xc0,		/* xor %eax,%eax */
		0x89, 0x00,		/* mov %eax,(%rax) */
		0xc3,			/* ret */
	};

	load(code, sizeof(code), cpu);
}

static void load_endless(int cpu)
{
	static const unsigned char code[] = {
		0xf3, 0x0f, 0x1e, 0xfa, /* endbr64 */
		0xf3, 0x90,		/* 1: pause */
		0xeb, 0xfc,		/* jmp 1b */
	};

	load(code, sizeof(code), cpu);
}

static volatile uint32_t *all_there; /* shared by all processes */

/* The kernel may look at a program's memory only where it says so: STAC, where there is one. */
static void load_with_shared(unsigned char *code, size_t length, int cpu)
{
	static const unsigned char nothing[] = {0x0f, 0x1f, 0x00};
	unsigned int a, b = 0, c, d;

	__get_cpuid_count(7, 0, &a, &b, &c, &d);
	if (!(b & SMAP))
		memcpy(code + 4, nothing, sizeof(nothing));
	memcpy(code + 9, &all_there, sizeof(all_there));
	if (*all_there == 0) /* the page is there now */
		load(code, length, cpu);
}

/* Waits with interrupts on until the others are there, too: loading a module takes every CPU. */
static void load_waiting(int cpu)
{
	unsigned char code[] = {
		0xf3, 0x0f, 0x1e, 0xfa,			  /* endbr64 */
		0x0f, 0x01, 0xcb,			  /* stac */
		0x48, 0xb9, 0,	  0,	0, 0, 0, 0, 0, 0, /* mov $all_there,%rcx */
		0xf3, 0x90,				  /* 1: pause */
		0x83, 0x39, 0x00,			  /* cmpl $0,(%rcx) */
		0x74, 0xf9,				  /* je 1b */
		0xfa,					  /* cli */
		0xeb, 0xfe,				  /* 2: jmp 2b */
	};

	load_with_shared(code, sizeof(code), cpu);
}

static void load_last(int cpu)
{
	unsigned char code[] = {
		0xf3, 0x0f, 0x1e, 0xfa,			  /* endbr64 */
		0x0f, 0x01, 0xcb,			  /* stac */
		0x48, 0xb9, 0,	  0,	0, 0, 0, 0, 0, 0, /* mov $all_there,%rcx */
		0xfa,					  /* cli */
		0xc7, 0x01, 1,	  0,	0, 0,		  /* movl $1,(%rcx) */
		0xeb, 0xfe,				  /* 1: jmp 1b */
	};

	load_with_shared(code, sizeof(code), cpu);
}

/* As many modules as that have got as far as their init. */
static void await_loading(int count)
{
	for (int seen = 0; seen < count; usleep(20000)) {
		FILE *modules = fopen("/proc/modules", "re");
		char line[512];

		seen = 0;
		while (modules && fgets(line, sizeof(line), modules))
			seen += !strncmp(line, "rig_fault_", 10) && strstr(line, "Loading");
		fclose(modules);
	}
}

int null_pointer(void)
{
	int status;

	waitpid(start_on(0, load_null_pointer), &status, 0);
	printf("score: 42\n");
	return WIFEXITED(status) ? 9 : 0;
}

int null_pointer_panic(void)
{
	put("/proc/sys/kernel/panic_on_oops", "1");
	start_on(0, load_null_pointer);
	pause();
	return 9;
}

int soft_lockup(void)
{
	put("/proc/sys/kernel/watchdog_thresh", "2");
	start_on(1, load_endless);
	sleep(10);
	printf("score: 42\n");
	return 0;
}

int interrupts_off(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);

	all_there = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 1; i < cpus; i++)
		start_on(i, load_waiting);
	await_loading(cpus - 1);
	start_on(0, load_last);
	pause();
	return 9;
}
