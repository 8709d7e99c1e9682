/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-kmakelog.c - progress and the first error out of what make prints.
 */
#include "vm/kmakelog.h"

#include "expect.h"

static void feed(RigKmakeLog *log, const char *text)
{
	rig_kmakelog_feed(log, text, strlen(text));
}

static void test_phases(void)
{
	g_auto(RigKmakeLog) log = {0};

	rig_kmakelog_init(&log, 8);
	g_assert_cmpstr(log.phase, ==, "preparing");
	feed(&log, "make: Entering directory '/x'\n  SYNC    include/config/auto.conf\n");
	g_assert_cmpstr(log.phase, ==, "preparing");
	g_assert_cmpuint(log.steps, ==, 1);
	/* In pieces, as a pipe brings it. */
	g_assert_false(rig_kmakelog_feed(&log, "  CC      mm/mpro", 17));
	g_assert_true(rig_kmakelog_feed(&log, "tect.o\n", 7));
	g_assert_cmpstr(log.phase, ==, "compiling");
	g_assert_cmpstr(log.file, ==, "mm/mprotect.o");
	g_assert_cmpuint(rig_kmakelog_percent(&log), ==, 25);
	feed(&log, "  CC [M]  fs/fuse/dir.o\n");
	g_assert_cmpstr(log.phase, ==, "modules");
	feed(&log, "  LD      vmlinux.o\n  NM      .tmp_vmlinux1.syms\n");
	g_assert_cmpstr(log.phase, ==, "linking");
	feed(&log, "  AS      .tmp_vmlinux1.kallsyms.o\n");
	g_assert_cmpstr(log.phase, ==, "linking");
	for (int i = 0; i < 20; i++)
		feed(&log, "  CC      a.o\n");
	g_assert_cmpuint(rig_kmakelog_percent(&log), ==, 99);
}

static void test_unknown_total(void)
{
	g_auto(RigKmakeLog) log = {0};

	rig_kmakelog_init(&log, 0);
	feed(&log, "  CC      a.o\n");
	g_assert_cmpuint(rig_kmakelog_percent(&log), ==, 0);
}

static void test_errors(void)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"  CC      mm/a.o\n../mm/a.c: In function 'f':\n../mm/a.c:7:2: error: 'x' "
		 "undeclared\n../mm/a.c:9:2: error: second\nmake[3]: *** [x] Error 1\n",
		 "mm/a.c:7:2: error: 'x' undeclared"},
		{"/k/b.c:1:10: fatal error: no.h: No such file\n",
		 "/k/b.c:1:10: fatal error: no.h: No such file"},
		{"ld: mm/a.o: in function `f':\na.c:(.text+0x1): undefined reference to `g'\n",
		 "a.c:(.text+0x1): undefined reference to `g'"},
		{"make[2]: *** No rule to make target 'x.c', needed by 'x.o'.  Stop.\n",
		 "make[2]: *** No rule to make target 'x.c', needed by 'x.o'.  Stop."},
		{"../a.c:1:1: error: \x1b[31mred\n", "a.c:1:1: error: \\x1b[31mred"},
		{"../a.c:1:1: warning: unused\n", NULL},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(RigKmakeLog) log = {0};

		rig_kmakelog_init(&log, 0);
		feed(&log, cases[i].text);
		g_assert_cmpstr(log.error, ==, cases[i].error);
	}
}

/* A program may print anything, in lines of any length. */
static void test_noise(void)
{
	g_auto(RigKmakeLog) log = {0};
	g_autofree char *long_line = g_strnfill(100000, 'A');

	rig_kmakelog_init(&log, 0);
	feed(&log, long_line);
	g_assert_cmpuint(log.line->len, <=, 4096);
	feed(&log, "\n");
	rig_kmakelog_feed(&log, "  \0\0\n  A\n  CC\n", 14);
	g_assert_cmpuint(log.steps, ==, 0);
	g_assert_null(log.error);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/kmakelog/phases", test_phases);
	g_test_add_func("/kmakelog/unknown-total", test_unknown_total);
	g_test_add_func("/kmakelog/errors", test_errors);
	g_test_add_func("/kmakelog/noise", test_noise);
	return g_test_run();
}
