/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-wrap.c - cells break at blanks, in the grid too.
 */
#include "report/wrap.h"

#include <locale.h>

#include <string.h>

#include "report/grid.h"
#include "report/run-view.h"

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

static void test_cut(void)
{
	g_autoptr(RigGrid) grid = rig_grid_new(14);
	g_autofree char *text = NULL;

	rig_grid_column(grid, "", RIG_GRID_LEFT);
	rig_grid_column(grid, "", RIG_GRID_CUT);
	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, "a");
	rig_grid_cell(grid, "twelve bytes");
	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, "b");
	rig_grid_cell(grid, "one too many!");
	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, "c");
	rig_grid_cell(grid, "\346\274\242\345\255\227 \346\274\242\345\255\227 xx x");
	text = rig_grid_text(grid);
	g_assert_cmpstr(text, ==,
			"a twelve bytes\n"
			"b one too m...\n"
			"c \346\274\242\345\255\227 \346\274\242\345\255\227...\n");
}

/* What all runs have in common is said once where there is not room for all. */
static void test_run_list(void)
{
	RigStoreEntry runs[] = {
		{.id = (char *)"20261130-144342-943c",
		 .outcome = (char *)"ok",
		 .workload = (char *)"anon-cow-rand-hugetlb",
		 .params = (char *)"2-100%-50%",
		 .topology = (char *)"2sp-icl",
		 .kernel = (char *)"linux-6.12",
		 .class = 'C',
		 .duration_s = 24},
		{.id = (char *)"20261130-144407-a139",
		 .outcome = (char *)"ok",
		 .workload = (char *)"numa02",
		 .params = (char *)"2-100%-50%",
		 .topology = (char *)"2sp-icl",
		 .kernel = (char *)"linux-6.1",
		 .class = 'C',
		 .duration_s = 11},
	};
	g_autoptr(GPtrArray) entries = g_ptr_array_new();
	g_autofree char *wide = NULL, *narrow = NULL, *other = NULL;

	g_ptr_array_add(entries, &runs[0]);
	g_ptr_array_add(entries, &runs[1]);
	wide = rig_run_list_render(entries, 1000, FALSE);
	g_assert_nonnull(strstr(wide, "TOPOLOGY"));
	g_assert_null(strstr(wide, "all of"));
	narrow = rig_run_list_render(entries, 80, FALSE);
	g_assert_null(strstr(narrow, "TOPOLOGY"));
	g_assert_nonnull(strstr(narrow, "all of topology 2sp-icl, class C\n"));
	g_assert_cmpuint(strcspn(narrow, "\n"), <=, 80);
	runs[1].topology = (char *)"1sp-4t";
	other = rig_run_list_render(entries, 80, FALSE);
	g_assert_nonnull(strstr(other, "TOPOLOGY"));
	g_assert_nonnull(strstr(other, "all of class C\n"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		g_error("this system has no C.UTF-8");
	g_test_add_func("/wrap/text", test_text);
	g_test_add_func("/wrap/grid", test_grid);
	g_test_add_func("/wrap/cut", test_cut);
	g_test_add_func("/wrap/run-list", test_run_list);
	return g_test_run();
}
