/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-wrap.c - cells break at blanks, in the grid too.
 */
#include "report/wrap.h"

#include <locale.h>

#include "report/grid.h"

static void expect_wrapped(const char *text, guint room, const char *expected, guint width)
{
	guint widest = 0;
	g_autofree char *wrapped = rig_wrap_text(text, room, &widest);

	g_assert_cmpstr(wrapped, ==, expected);
	g_assert_cmpuint(widest, ==, width);
}

static void test_text(void)
{
	expect_wrapped(NULL, 10, "", 0);
	expect_wrapped("fits", 4, "fits", 4);
	expect_wrapped("one two three", 8, "one two\nthree", 7);
	/* Indented text stays so, and its further lines are two columns deeper. */
	expect_wrapped("  vm.throughput, KB/s", 17, "  vm.throughput,\n    KB/s", 16);
	expect_wrapped("abcdefghij", 4, "abcd\nefgh\nij", 4);
	expect_wrapped("a abcdefgh", 4, "a\nabcd\nefgh", 4);
	/* Two columns each. */
	expect_wrapped("\346\274\242\345\255\227 x", 4, "\346\274\242\345\255\227\nx", 4);
	g_assert_cmpuint(rig_wrap_width("e\314\201"), ==, 1);
}

static void test_grid(void)
{
	g_autoptr(RigGrid) grid = rig_grid_new(24);
	g_autofree char *text = NULL;

	rig_grid_column(grid, "NAME", RIG_GRID_WRAP);
	rig_grid_column(grid, "N", RIG_GRID_RIGHT);
	rig_grid_column(grid, "TEXT", RIG_GRID_WRAP);
	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, "a");
	rig_grid_cell(grid, "1000");
	rig_grid_cell(grid, "what is said of it");
	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, "b");
	rig_grid_cell(grid, "2");
	rig_grid_cell(grid, "brief");
	text = rig_grid_text(grid);
	g_assert_cmpstr(text, ==,
			"NAME    N TEXT\n"
			"a    1000 what is said\n"
			"          of it\n"
			"b       2 brief\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		g_error("this system has no C.UTF-8");
	g_test_add_func("/wrap/text", test_text);
	g_test_add_func("/wrap/grid", test_grid);
	return g_test_run();
}
