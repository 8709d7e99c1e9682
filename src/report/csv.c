/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv.c - all values as comma-separated lines, one a side, metric and run (RFC 4180).
 */
#include "report/csv.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/number.h"
#include "report/phrase.h"

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

/* What the statistics say of a metric on one side; all empty for the base, and for failures. */
typedef struct {
	char *change, *unit, *lo, *hi, *p, *q;
	const char *verdict;
} Fields;

static void fields_clear(Fields *f)
{
	g_free(f->change);
	g_free(f->lo);
	g_free(f->hi);
	g_free(f->p);
	g_free(f->q);
}

static const char *unit_of(RigScale scale)
{
	return scale == RIG_SCALE_POINTS ? "points" : "percent";
}

static Fields metric_fields(const RigStatMetric *m)
{
	gboolean judged = m->verdict.kind != RIG_VERDICT_NOT_JUDGED;

	return (Fields){
		.change = rig_number_exact(m->change),
		.unit = (char *)unit_of(m->scale),
		.lo = rig_number_exact(m->i95.lo),
		.hi = rig_number_exact(m->i95.hi),
		.p = rig_number_exact(judged ? m->p_holm : NAN),
		.verdict = rig_phrase_verdict(m),
	};
}

static Fields counter_fields(const RigStatCounter *counter)
{
	const RigScreenRow *row = counter->row;

	return (Fields){
		.change = rig_number_exact(counter->change),
		.unit = (char *)unit_of(counter->scale),
		.p = rig_number_exact(row->p),
		.q = rig_number_exact(row->q),
		.verdict = row->appears	   ? "new"
			   : row->vanishes ? "gone"
			   : row->found	   ? counter->word
					   : rig_screen_status_name(row->status),
	};
}

/* name -> const RigStatMetric* or const RigStatCounter* */
typedef struct {
	GHashTable *metrics, *counters;
} Index;

static Index index_new(const RigStatCompare *stats)
{
	Index index = {g_hash_table_new(g_str_hash, g_str_equal),
		       g_hash_table_new(g_str_hash, g_str_equal)};

	for (guint i = 0; stats && i < stats->metrics->len; i++) {
		RigStatMetric *m = g_ptr_array_index(stats->metrics, i);

		g_hash_table_insert(index.metrics, (gpointer)m->info->name, m);
	}
	for (guint i = 0; stats && i < stats->counters->len; i++) {
		RigStatCounter *counter = g_ptr_array_index(stats->counters, i);

		g_hash_table_insert(index.counters, (gpointer)counter->info->name, counter);
	}
	return index;
}

static void index_clear(Index *index)
{
	g_hash_table_unref(index->metrics);
	g_hash_table_unref(index->counters);
}

static Fields fields_of(const Index *index, const char *metric)
{
	const RigStatMetric *m = g_hash_table_lookup(index->metrics, metric);
	const RigStatCounter *counter = g_hash_table_lookup(index->counters, metric);

	if (m)
		return metric_fields(m);
	return counter ? counter_fields(counter) : (Fields){0};
}

static void add_value(GString *out, const RigSide *side, guint index, const RigMetricInfo *info,
		      const Fields *fields)
{
	const RigSideRun *run = g_ptr_array_index(side->runs, index);
	const double *values = rig_side_values(side, info->name);
	g_autofree char *value = rig_number_exact(values ? values[index] : NAN);
	g_autofree char *started = run->started ? rig_text_time(run->started) : NULL;
	g_autofree char *number = g_strdup_printf("%u", index + 1);
	char class[2] = {run->class, '\0'};
	const char *const line[] = {
		side->name,   side->kernel,
		class,	      run->id ? run->id : number,
		started,      rig_outcome_name(run->outcome),
		info->name,   info->unit,
		value,	      fields->change,
		fields->unit, fields->lo,
		fields->hi,   fields->p,
		fields->q,    fields->verdict,
	};

	for (guint i = 0; i < G_N_ELEMENTS(line); i++)
		add_field(out, line[i]);
	end_line(out);
}

static void add_side(GString *out, const RigJudgement *judgement, guint s)
{
	const RigCompare *compare = judgement->compare;
	const RigSide *side = rig_sides_at(compare->sides, s);
	Index index = index_new(s ? rig_judgement_stats(judgement, s) : NULL);

	for (guint m = 0; m < compare->rows->len; m++) {
		const RigRow *row = g_ptr_array_index(compare->rows, m);
		Fields fields = fields_of(&index, row->info->name);

		for (guint r = 0; r < side->runs->len; r++)
			add_value(out, side, r, row->info, &fields);
		fields_clear(&fields);
	}
	index_clear(&index);
}

char *rig_csv_render(const RigJudgement *judgement)
{
	GString *out = g_string_new("side,kernel,class,run,started,outcome,metric,unit,value,"
				    "change,change_unit,lo95,hi95,p,q,verdict\r\n");

	for (guint s = 0; s < judgement->compare->sides->sides->len; s++)
		add_side(out, judgement, s);
	return g_string_free(out, FALSE);
}
