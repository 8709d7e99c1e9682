/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * markdown.c - the comparison for a pull request or an issue.
 */
#include "report/markdown.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/differences.h"
#include "report/number.h"
#include "report/phrase.h"
#include "report/subject.h"
#include "report/why.h"

#define COUNTERS_MAX 20

/* Text between the marks of Markdown: each of its own signs gets a backslash. */
static char *escaped(const char *text)
{
	g_autofree char *safe = rig_text_safe_line(text ? text : "", -1);
	GString *out = g_string_new(NULL);

	for (const char *c = safe; *c; c++) {
		if (strchr("\\`*_{}[]<>#|~", *c))
			g_string_append_c(out, '\\');
		g_string_append_c(out, *c);
	}
	return g_string_free(out, FALSE);
}

/* TEXT, escaped, between what is Markdown. */
static void add(GString *out, const char *before, const char *text, const char *after)
{
	g_autofree char *safe = escaped(text);

	g_string_append_printf(out, "%s%s%s", before, safe, after);
}

static void add_headline(GString *out, const RigJudgement *j, guint head)
{
	const RigSides *sides = j->compare->sides;
	const RigStatCompare *stats = rig_judgement_stats(j, head);
	g_autofree char *primaries = rig_phrase_primaries(stats);
	g_autofree char *counters = rig_phrase_counters(stats);
	g_autofree char *failures = rig_phrase_failures(stats);
	g_autoptr(GPtrArray) whys = rig_why_find(stats, sides);

	add(out, "### ", sides->workload ? sides->workload : "several workloads", "");
	add(out, " on ", sides->topology ? sides->topology : "several topologies", "");
	if (sides->variant && *sides->variant)
		add(out, " (", sides->variant, ")");
	g_string_append_c(out, ':');
	add(out, " ", rig_sides_at(sides, head)->name, "");
	add(out, " against ", rig_sides_at(sides, 0)->name, "\n\n");
	g_string_append_printf(out, "**%s**: ", rig_phrase_headline(stats));
	add(out, "", primaries, ".\n\n");
	for (guint i = 0; i < whys->len; i++) {
		const RigWhy *why = g_ptr_array_index(whys, i);

		g_string_append(out, why->explains ? "- why: " : "- seen: ");
		add(out, "", why->text, "\n");
	}
	add(out, "- ", counters, "\n");
	add(out, "- ", failures, "\n");
}

static void add_metric(GString *out, const RigStatMetric *m)
{
	gboolean judged = m->verdict.kind != RIG_VERDICT_NOT_JUDGED;
	g_autofree char *ratio = rig_phrase_ratio(m);
	g_autofree char *interval = rig_phrase_interval(m);
	g_autofree char *p = rig_phrase_p(judged ? m->p_holm : NAN);
	g_autofree char *n = rig_phrase_n(m);
	g_autofree char *sees = rig_phrase_size(m->scale, m->detectable);

	add(out, m->primary ? "| **" : "| ", m->info->name, m->primary ? "** |" : " |");
	g_string_append_printf(out, " %s | %s |", ratio, interval);
	add(out, " ", p, " |");
	g_string_append_printf(out, " %s | %s | %s |\n", n, sees, rig_phrase_verdict(m));
}

static void add_metrics(GString *out, const RigStatCompare *stats)
{
	if (stats->metrics->len == 0)
		return;
	g_string_append(out, "\n| metric | B/A | 95 % interval | p | n | sees | verdict |\n"
			     "|---|--:|--:|--:|--:|--:|---|\n");
	for (guint i = 0; i < stats->metrics->len; i++)
		add_metric(out, g_ptr_array_index(stats->metrics, i));
}

static const RigRow *row_of(const RigCompare *compare, const RigMetricInfo *info)
{
	for (guint i = 0; i < compare->rows->len; i++) {
		const RigRow *row = g_ptr_array_index(compare->rows, i);

		if (row->info == info)
			return row;
	}
	return NULL;
}

static void add_counter(GString *out, const RigCompare *compare, guint head,
			const RigStatCounter *counter)
{
	const RigRow *row = row_of(compare, counter->info);
	g_autofree char *base = rig_number_people(row->sides[0].mean);
	g_autofree char *value = rig_number_people(row->sides[head].mean);
	g_autofree char *change = rig_phrase_counter(counter);

	add(out, "| ", counter->info->name, " |");
	g_string_append_printf(out, " %s | %s | %s | %s |\n", base, value, change, counter->word);
}

/* What the readers of a NUMA report look for comes first, the surest of it at the top. */
static GPtrArray *in_order(const RigSides *sides, const RigStatCompare *stats)
{
	const GPtrArray *const lists[] = {stats->found, stats->appeared, stats->vanished};
	GPtrArray *sorted = g_ptr_array_new();

	for (guint subject = 0; subject < RIG_SUBJECTS; subject++) {
		for (guint l = 0; l < G_N_ELEMENTS(lists); l++) {
			for (guint i = 0; i < lists[l]->len; i++) {
				RigStatCounter *c = g_ptr_array_index(lists[l], i);

				/* What appears was mostly found, too. */
				if (rig_subject_of_counter(sides, c) == subject &&
				    !rig_subject_repeats(sides, c->info->name) &&
				    !(l == 0 && (c->row->appears || c->row->vanishes)))
					g_ptr_array_add(sorted, c);
			}
		}
	}
	return sorted;
}

static void add_counters(GString *out, const RigCompare *compare, const RigStatCompare *stats)
{
	g_autoptr(GPtrArray) counters = in_order(compare->sides, stats);

	if (counters->len == 0)
		return;
	g_string_append(out, "\n| counter | base | head | change | |\n|---|--:|--:|--:|---|\n");
	for (guint i = 0; i < counters->len && i < COUNTERS_MAX; i++)
		add_counter(out, compare, stats->head, g_ptr_array_index(counters, i));
	if (counters->len > COUNTERS_MAX)
		g_string_append_printf(out, "\n%u more counters changed.\n",
				       counters->len - COUNTERS_MAX);
}

static void add_list(GString *out, const char *title, const GPtrArray *list)
{
	if (list->len)
		g_string_append_printf(out, "\n%s:\n\n", title);
	for (guint i = 0; i < list->len; i++)
		add(out, "- ", g_ptr_array_index(list, i), "\n");
}

static GPtrArray *differences(const RigCompare *compare)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < compare->differences->len; i++) {
		const RigDifference *d = g_ptr_array_index(compare->differences, i);
		GString *text = g_string_new(d->key);

		for (guint s = 0; s < d->n_values; s++)
			g_string_append_printf(text, "%s %s", s ? "," : ":",
					       d->values[s] ? d->values[s] : "(none)");
		if (!rig_differences_is_kernel(d->key))
			g_ptr_array_add(list, g_strdup(text->str));
		g_string_free(text, TRUE);
	}
	return list;
}

char *rig_markdown_render(const RigJudgement *j)
{
	GString *out = g_string_new(NULL);
	g_autoptr(GPtrArray) differ = differences(j->compare);

	for (guint head = 1; head < j->compare->sides->sides->len; head++) {
		const RigStatCompare *stats = rig_judgement_stats(j, head);

		if (head > 1)
			g_string_append_c(out, '\n');
		add_headline(out, j, head);
		add_metrics(out, stats);
		add_counters(out, j->compare, stats);
		add_list(out, "About the plan", stats->plan->notes);
	}
	add_list(out, "What differs besides the kernel", differ);
	add_list(out, "Doubts", j->doubts);
	add_list(out, "Be wary", j->compare->warnings);
	return g_string_free(out, FALSE);
}
