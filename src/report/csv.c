/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv.c - all values as comma-separated lines, one a side, metric and run (RFC 4180).
 */
#include "report/csv.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/number.h"

static void add_field(GString *out, const char *text)
{
	g_autofree char *safe = rig_text_safe(text ? text : "", -1);

	if (out->len > 0 && out->str[out->len - 1] != '\n')
		g_string_append_c(out, ',');
	if (!strpbrk(safe, ",\"\r\n")) {
		g_string_append(out, safe);
		return;
	}
	g_string_append_c(out, '"');
	for (const char *c = safe; *c; c++) {
		if (*c == '"')
			g_string_append_c(out, '"');
		g_string_append_c(out, *c);
	}
	g_string_append_c(out, '"');
}

static void end_line(GString *out)
{
	g_string_append(out, "\r\n");
}

static void add_value(GString *out, const RigSide *side, guint index, const RigMetricInfo *info)
{
	const RigSideRun *run = g_ptr_array_index(side->runs, index);
	const double *values = rig_side_values(side, info->name);
	g_autofree char *value = rig_number_exact(values ? values[index] : NAN);
	g_autofree char *started = run->started ? rig_text_time(run->started) : NULL;
	g_autofree char *number = g_strdup_printf("%u", index + 1);
	char class[2] = {run->class, '\0'};

	add_field(out, side->name);
	add_field(out, side->kernel);
	add_field(out, class);
	add_field(out, run->id ? run->id : number);
	add_field(out, started);
	add_field(out, rig_outcome_name(run->outcome));
	add_field(out, info->name);
	add_field(out, info->unit);
	add_field(out, value);
	end_line(out);
}

char *rig_csv_render(const RigCompare *compare)
{
	GString *out = g_string_new("side,kernel,class,run,started,outcome,metric,unit,value\r\n");

	for (guint s = 0; s < compare->sides->sides->len; s++) {
		const RigSide *side = rig_sides_at(compare->sides, s);

		for (guint m = 0; m < compare->rows->len; m++) {
			const RigRow *row = g_ptr_array_index(compare->rows, m);

			for (guint r = 0; r < side->runs->len; r++)
				add_value(out, side, r, row->info);
		}
	}
	return g_string_free(out, FALSE);
}
