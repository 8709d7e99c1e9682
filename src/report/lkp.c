/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lkp.c - the kernel test robot's table, to the character.
 *
 * Its readers and their scripts know it by its columns, so columns, rounding and order are the
 * original's; tests/data/lkp/ holds the original's output to compare with.
 */
#include "report/lkp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/number.h"

#define FIRST_WIDTH 16 /* a value and its spread */
#define NEXT_WIDTH 27  /* a change, a value and its spread */

/* Safe for a terminal, and one line whatever a guest put into it. */
static char *line_of(const char *text)
{
	return g_strdelimit(rig_text_safe(text, -1), "\n\t", ' ');
}

static void add_number(GString *out, const char *format, double value)
{
	g_autofree char *text = rig_number_printf(format, value);

	g_string_append(out, text);
}

static void add_value(GString *out, double avg, double sd)
{
	double percent = avg != 0 ? 100 * sd / avg : 0;

	if (fabs(avg) < 1000)
		add_number(out, "%10.2f", avg);
	else if (fabs(avg) > 1e8)
		add_number(out, "%10.4g", avg);
	else
		add_number(out, "%10.0f", floor(avg));
	/* Truncated like the original's, not rounded. */
	if (percent > 2)
		g_string_append_printf(out, " ±%3.0f%%", floor(percent));
	else
		g_string_append(out, "      ");
}

static void add_change(GString *out, const RigLkpRow *row, guint i)
{
	double change = row->changes[i];

	if (row->fresh && row->fresh[i]) {
		g_string_append_printf(out, "%10s  ", "new");
		return;
	}
	if (row->failure)
		add_number(out, "%10.0f", change);
	else
		add_number(out, fabs(change) < 100000 ? "%+10.1f" : "%+10.2g", change);
	g_string_append(out, row->points ? "  " : "% ");
}

static void add_fails(GString *out, const RigLkpRow *row, guint i)
{
	if (row->fails[i])
		g_string_append_printf(out, "%11u", row->fails[i]);
	else
		g_string_append_printf(out, "%11s", "");
	g_string_append_printf(out, ":%-4u", row->runs[i]);
}

static void add_row(GString *out, const RigLkpRow *row)
{
	g_autofree char *name = line_of(row->name);

	for (guint i = 0; i < row->n_sides; i++) {
		if (i > 0)
			add_change(out, row, i);
		if (row->failure)
			add_fails(out, row, i);
		else
			add_value(out, row->avgs[i], row->stddevs[i]);
	}
	g_string_append_printf(out, "  %s\n", name);
}

static void add_times(GString *out, const char *text, guint times)
{
	while (times--)
		g_string_append(out, text);
}

static void add_heading(GString *out, gboolean failure, guint heads)
{
	if (failure) {
		g_string_append(out, "       fail:runs");
		add_times(out, "  %reproduction    fail:runs", heads);
		g_string_append(out, "\n           |    ");
		add_times(out, "         |             |    ", heads);
	} else {
		g_string_append(out, "         %stddev");
		add_times(out, "     %change         %stddev", heads);
		g_string_append(out, "\n             \\  ");
		add_times(out, "        |                \\  ", heads);
	}
	g_string_append_c(out, '\n');
}

static void add_key(GPtrArray *names, GPtrArray *values, const char *name, const char *value)
{
	/* Readers split both lines at the slashes and count. */
	g_ptr_array_add(names, g_strdelimit(line_of(name), "/", '_'));
	g_ptr_array_add(values, g_strdelimit(line_of(value), "/", '_'));
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The keys that say which machine and which test, under the robot's names for them. */
static GHashTable *all_keys(const RigSides *sides)
{
	GHashTable *keys = g_hash_table_new(g_str_hash, g_str_equal);
	const struct {
		const char *name, *value;
	} known[] = {
		{"compiler", sides->compiler}, {"kconfig", sides->kconfig},
		{"rootfs", sides->image},      {"tbox_group", sides->topology},
		{"test", sides->workload},     {"testcase", sides->suite},
	};
	GHashTableIter iter;
	gpointer key, value;

	for (guint i = 0; i < G_N_ELEMENTS(known); i++)
		if (known[i].value)
			g_hash_table_insert(keys, (gpointer)known[i].name,
					    (gpointer)known[i].value);
	g_hash_table_iter_init(&iter, sides->keys);
	while (g_hash_table_iter_next(&iter, &key, &value))
		g_hash_table_insert(keys, key, value);
	return keys;
}

static void add_keys(GString *out, const RigSides *sides)
{
	g_autoptr(GHashTable) keys = all_keys(sides);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
	g_autofree char **sorted = (char **)g_hash_table_get_keys_as_array(keys, NULL);
	g_autofree char *name_line = NULL;
	g_autofree char *value_line = NULL;
	guint n = g_hash_table_size(keys);

	qsort(sorted, n, sizeof(*sorted), compare_texts);
	for (guint i = 0; i < n; i++)
		add_key(names, values, sorted[i], g_hash_table_lookup(keys, sorted[i]));
	g_ptr_array_add(names, NULL);
	g_ptr_array_add(values, NULL);
	name_line = g_strjoinv("/", (char **)names->pdata);
	value_line = g_strjoinv("/", (char **)values->pdata);
	g_string_append_printf(out, "%s:\n  %s\n\n", name_line, value_line);
}

/* NAME cut to WIDTH characters and set to the right, as the original does. */
static void add_side_name(GString *out, const char *name, int width)
{
	glong length = g_utf8_strlen(name, -1);
	g_autofree char *cut = g_utf8_substring(name, 0, MIN(length, width));

	for (glong pad = length; pad < width; pad++)
		g_string_append_c(out, ' ');
	g_string_append_printf(out, "%s ", cut);
}

static void add_dashes(GString *out, int width)
{
	while (width--)
		g_string_append_c(out, '-');
	g_string_append_c(out, ' ');
}

static void add_header(GString *out, const RigSides *sides)
{
	guint n = sides->sides->len;

	for (int i = 0; i < 89; i++)
		g_string_append_c(out, '=');
	g_string_append_c(out, '\n');
	add_keys(out, sides);
	g_string_append(out, "commit: \n");
	for (guint i = 0; i < n; i++) {
		g_autofree char *name = line_of(rig_sides_at(sides, i)->name);

		g_string_append_printf(out, "  %s\n", name);
	}
	g_string_append_c(out, '\n');
	for (guint i = 0; i < n; i++) {
		g_autofree char *name = line_of(rig_sides_at(sides, i)->name);

		add_side_name(out, name, i ? NEXT_WIDTH : FIRST_WIDTH);
	}
	g_string_append_c(out, '\n');
	for (guint i = 0; i < n; i++)
		add_dashes(out, i ? NEXT_WIDTH : FIRST_WIDTH);
	g_string_append_c(out, '\n');
}

static char *render(const RigSides *sides, const GPtrArray *rows)
{
	GString *out = g_string_new(NULL);
	int section = -1;

	add_header(out, sides);
	for (guint i = 0; i < rows->len; i++) {
		const RigLkpRow *row = g_ptr_array_index(rows, i);

		if (section != row->failure)
			add_heading(out, row->failure, sides->sides->len - 1);
		section = row->failure;
		add_row(out, row);
	}
	g_string_append_c(out, '\n');
	return g_string_free(out, FALSE);
}

char *rig_lkp_render(const RigSides *sides, RigLkpRows which)
{
	g_autoptr(GPtrArray) rows = rig_lkp_rows(sides, which);

	return render(sides, rows);
}

char *rig_lkp_render_found(const RigJudgement *judgement)
{
	g_autoptr(GPtrArray) rows = rig_lkp_rows_found(judgement);

	return render(judgement->compare->sides, rows);
}
