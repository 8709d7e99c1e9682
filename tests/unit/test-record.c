/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-record.c - record.json there and back, and what is refused. */
#include "recordfix.h"

#include "expect.h"

static void test_round_trip(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigRecord) record = recordfix_new("v6.1", 100);
	g_autoptr(RigRecord) again = NULL;
	g_autofree char *text = NULL;
	g_autofree char *second = NULL;
	double value;

	record->id = g_strdup("20261129-134305-7f3a");
	record->class = 'A';
	record->outcome = RIG_OUTCOME_PARTIAL;
	record->outcome_text = g_strdup("5 results of 6 tasks");
	text = rig_record_to_json(record);
	again = rig_record_parse("record.json", text, &error);
	g_assert_no_error(error);
	second = rig_record_to_json(again);
	g_assert_cmpstr(text, ==, second);
	g_assert_cmpstr(again->compiler, ==, "gcc-12");
	g_assert_cmpint(again->class, ==, 'A');
	g_assert_cmpint(again->outcome, ==, RIG_OUTCOME_PARTIAL);
	g_assert_cmpint(again->started, ==, 1795959785);
	g_assert_cmpfloat(again->duration_s, ==, 31.25);
	g_assert_cmpstr(g_hash_table_lookup(again->manifest, "kernel.sha256"), ==, "abc");
	g_assert_true(rig_metrics_get(again->metrics, "w.throughput", &value));
	g_assert_cmpfloat(value, ==, 100);
	g_assert_cmpuint(again->phases->len, ==, 1);
	g_assert_cmpstr(((RigMetricDef *)g_ptr_array_index(again->defs, 0))->unit, ==, "KB/s");
	g_assert_cmpstr(g_ptr_array_index(again->notes, 0), ==, "a note");
}

static const struct {
	const char *from, *to, *says;
} wrong[] = {
	{"\"version\": 1", "\"version\": 2", "version"},
	{"\"class\": \"C\"", "\"class\": \"D\"", "class"},
	{"\"outcome\": \"ok\"", "\"outcome\": \"fine\"", "no outcome"},
	{"\"started\": 1795959785", "\"started\": -1", "started"},
	{"\"abc\"", "5", "must be a string"},
	{"\"id\": \"x\",", "", "id"},
	{"\"side\"", "\"sidee\"", "sidee"},
	{"\"start_ns\": 5", "\"start_ns\": \"5\"", "start_ns"},
	{"\"direction\": \"higher\"", "\"direction\": \"up\"", "direction"},
};

static void test_wrong(void)
{
	g_autoptr(RigRecord) record = recordfix_new("v6.1", 100);
	g_autofree char *text = NULL;

	record->id = g_strdup("x");
	text = rig_record_to_json(record);
	for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autoptr(GString) changed = g_string_new(text);
		g_autoptr(GError) error = NULL;

		if (!g_string_replace(changed, wrong[i].from, wrong[i].to, 1))
			g_error("%s is not in %s", wrong[i].from, text);
		if (rig_record_parse("record.json", changed->str, &error))
			g_error("taken: %s", wrong[i].to);
		expect_error(&error, RIG_ERROR_USAGE, wrong[i].says);
	}
}

static void test_cut(void)
{
	g_autoptr(RigRecord) record = recordfix_new("v6.1", 100);
	g_autofree char *text = NULL;

	record->id = g_strdup("x");
	text = rig_record_to_json(record);
	for (gsize length = 0; length + 2 < strlen(text); length += 7) {
		g_autofree char *part = g_strndup(text, length);
		g_autoptr(GError) error = NULL;

		g_assert_null(rig_record_parse("record.json", part, &error));
		g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/record/round-trip", test_round_trip);
	g_test_add_func("/record/wrong", test_wrong);
	g_test_add_func("/record/cut", test_cut);
	return g_test_run();
}
