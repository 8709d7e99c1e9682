/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-expected.c - what a recipe expects, held against what moved. */
#include "report/expected.h"

#include "report-sides.h"
#include "report/html.h"
#include "report/report-json.h"
#include "report/table.h"
#include "schema-check.h"

static const char sides_text[] = "{\"base\": {\"ops\": [100, 101, 102, 100.5, 101.5],"
				 "  \"proc-vmstat.down\": [2000, 2010, 2020, 2005, 2015],"
				 "  \"proc-vmstat.up\": [1000, 1010, 1020, 1005, 1015],"
				 "  \"proc-vmstat.gone\": [40, 41, 42, 43, 44],"
				 "  \"proc-vmstat.constant\": [7, 7, 7, 7, 7],"
				 "  \"proc-vmstat.still\": [9000, 9010, 9005, 9002, 9007]},"
				 " \"head\": {\"ops\": [80, 81, 82, 80.5, 81.5],"
				 "  \"proc-vmstat.down\": [1000, 1010, 1020, 1005, 1015],"
				 "  \"proc-vmstat.up\": [2000, 2010, 2020, 2005, 2015],"
				 "  \"proc-vmstat.gone\": [0, 0, 0, 0, 0],"
				 "  \"proc-vmstat.constant\": [7, 7, 7, 7, 7],"
				 "  \"proc-vmstat.still\": [9001, 9009, 9004, 9003, 9006]}}";

static Judged judged_of(char class)
{
	RigSides *sides = sides_parse(sides_text, class);

	sides_own(sides, "ops", "1/s", RIG_HIGHER, RIG_KIND_RATIO, TRUE);
	return judged_new(sides, NULL);
}

/* A recipe for hosts of CLASSES that expects "NAME DIRECTION" of each of the COUNTERS. */
static RigKernelRecipe *recipe_of(const char *classes, const char *counters)
{
	char *dir = expect_temp_dir();
	g_autofree char *path = g_build_filename(dir, "try.json", NULL);
	g_autofree char *text = g_strdup_printf(
		"{\"version\": 1, \"name\": \"try\", \"text\": \"t\", \"source\": \"s\", "
		"\"base\": \"b\", \"classes\": \"%s\", \"counters\": [%s]}",
		classes, counters);
	g_autoptr(GError) error = NULL;
	RigKernelRecipe *recipe;

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	recipe = rig_kernelrecipe_load(path, &error);
	g_assert_no_error(error);
	expect_remove(dir);
	return recipe;
}

static char *said(char class, const char *classes, const char *name, const char *direction)
{
	g_auto(Judged) judged = judged_of(class);
	g_autofree char *counter =
		g_strdup_printf("{\"name\": \"%s\", \"direction\": \"%s\"}", name, direction);
	g_autoptr(RigKernelRecipe) recipe = recipe_of(classes, counter);
	const RigExpected *expected;

	rig_judgement_expect(judged.judgement, 1, recipe);
	expected = rig_judgement_expected(judged.judgement, 1);
	g_assert_cmpuint(expected->counters->len, ==, 1);
	return rig_expected_text(g_ptr_array_index(expected->counters, 0));
}

static void test_states(void)
{
	static const struct {
		const char *name, *direction;
		char class;
		const char *classes, *text;
	} cases[] = {
		{"proc-vmstat.down", "lower", 'C', "ABC", "lower: seen, -49.7 %"},
		{"proc-vmstat.down", "higher", 'C', "ABC", "higher: not seen, -49.7 %"},
		{"proc-vmstat.down", "neither", 'C', "ABC", "unmoved: not seen, -49.7 %"},
		{"proc-vmstat.up", "higher", 'A', "AB", "higher: seen, +99.0 %"},
		{"proc-vmstat.up", "lower", 'A', "AB", "lower: not seen, +99.0 %"},
		{"proc-vmstat.gone", "lower", 'A', "AB", "lower: seen, gone"},
		{"proc-vmstat.gone", "higher", 'A', "AB", "higher: not seen, gone"},
		{"proc-vmstat.still", "lower", 'B', "ABC",
		 "lower: not seen, no change found (q = "},
		{"proc-vmstat.still", "neither", 'B', "ABC",
		 "unmoved: seen, no change found (q = "},
		{"proc-vmstat.constant", "lower", 'B', "ABC", "lower: not judged, constant"},
		{"proc-vmstat.other", "lower", 'B', "ABC", "lower: not judged, no run has it"},
		{"proc-vmstat.down", "lower", 'C', "AB",
		 "lower: not judged, wants runs of class AB"},
		{"ops", "lower", 'A', "AB", "lower: seen, -19.8 %"},
		{"ops", "higher", 'A', "AB", "higher: not seen, -19.8 %"},
		{"ops", "lower", 'C', "ABC", "lower: not judged, "},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text =
			said(cases[i].class, cases[i].classes, cases[i].name, cases[i].direction);
		g_autofree char *start = g_strdup_printf("%s %s", cases[i].name, cases[i].text);

		if (!g_str_has_prefix(text, start))
			g_error("\"%s\" does not begin with \"%s\"", text, start);
	}
}

static Judged judged_with_recipe(void)
{
	Judged judged = judged_of('A');
	g_autoptr(RigKernelRecipe) recipe =
		recipe_of("AB", "{\"name\": \"proc-vmstat.down\", \"direction\": \"lower\"},"
				"{\"name\": \"proc-vmstat.up\", \"direction\": \"lower\"},"
				"{\"name\": \"no<such\", \"direction\": \"higher\"}");

	rig_judgement_expect(judged.judgement, 1, recipe);
	return judged;
}

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		g_error("\"%s\" is not in:\n%s", part, text);
}

static void test_reports(void)
{
	g_auto(Judged) judged = judged_with_recipe();
	g_autofree char *table = rig_table_render(judged.judgement, &(RigTableOptions){0});
	g_autofree char *page = rig_html_render(&(RigHtmlInput){.judgement = judged.judgement});

	expect_part(table, "\nrecipe      try: 1 of 3 as expected, 1 not judged\n"
			   "            proc-vmstat.down lower: seen, -49.7 %\n"
			   "            proc-vmstat.up lower: not seen, +99.0 %\n"
			   "            no<such higher: not judged, no run has it\n");
	expect_part(page, "<li>Recipe try: 1 of 3 as expected, 1 not judged.<ul>\n"
			  "<li>proc-vmstat.down lower: seen, -49.7 %</li>\n");
	expect_part(page, "<li>no&lt;such higher: not judged");
}

static void test_json(void)
{
	g_auto(Judged) judged = judged_with_recipe();
	g_autoptr(RigJsonWriter) writer = rig_report_json_judged(judged.judgement);
	g_autofree char *text = rig_json_writer_text(writer, TRUE);

	expect_part(text, "\"expected\": {\n        \"recipe\": \"try\",");
	expect_part(text, "\"state\": \"not seen\",\n            \"reason\": \"+99.0 %\"");
	schema_expect("compare.json", text);
}

/* Without a recipe, or one that expects nothing, nothing is said. */
static void test_none(void)
{
	g_auto(Judged) judged = judged_of('A');
	g_autoptr(RigKernelRecipe) recipe = recipe_of("ABC", "");
	g_autofree char *table = NULL;

	g_assert_null(rig_judgement_expected(judged.judgement, 1));
	rig_judgement_expect(judged.judgement, 1, recipe);
	g_assert_null(rig_judgement_expected(judged.judgement, 1));
	table = rig_table_render(judged.judgement, &(RigTableOptions){0});
	g_assert_null(strstr(table, "recipe"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/expected/states", test_states);
	g_test_add_func("/expected/reports", test_reports);
	g_test_add_func("/expected/json", test_json);
	g_test_add_func("/expected/none", test_none);
	return g_test_run();
}
