/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-facts.c - the head of the page: the verdict, what was compared, what the class permits.
 */
#include "report/html-private.h"

#include <math.h>
#include <string.h>

#include "report/number.h"
#include "report/phrase.h"

static void fact(GString *out, const char *name, const char *value)
{
	if (value && *value)
		rig_markup_add(out, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

static char *side_text(const RigSide *side)
{
	g_autofree char *name = rig_phrase_side(side);

	return g_strdup_printf("%s: %u of %u runs whole", name, side->runs->len - side->n_failed,
			       side->runs->len);
}

static void add_side(GString *out, const RigSide *side, gboolean base, gboolean class)
{
	g_autofree char *text = side_text(side);

	fact(out, base ? "base" : "head", text);
	if (class)
		fact(out, "class", rig_class_text(side->class));
}

static gboolean one_class(const RigSides *sides)
{
	for (guint s = 1; s < sides->sides->len; s++)
		if (rig_sides_at(sides, s)->class != rig_sides_at(sides, 0)->class)
			return FALSE;
	return TRUE;
}

static void add_list(RigHtmlPage *page)
{
	const RigSides *sides = page->compare->sides;
	const RigSide *base = rig_sides_at(sides, 0);
	gboolean same = one_class(sides);

	g_string_append(page->out, "<dl class=\"facts\">\n");
	fact(page->out, "workload", sides->workload);
	fact(page->out, "suite", sides->suite);
	fact(page->out, "parameters", sides->params);
	fact(page->out, "topology", sides->topology);
	fact(page->out, "fitted", rig_side_manifest(base, "topology.fit"));
	fact(page->out, "boot", sides->variant);
	for (guint s = 0; s < sides->sides->len; s++)
		add_side(page->out, rig_sides_at(sides, s), s == 0, !same);
	if (same)
		fact(page->out, "class", rig_class_text(base->class));
	g_string_append(page->out, "</dl>\n");
}

/* How a verdict looks: worse, better, or neither; nothing that is not judged gets a colour. */
static const char *verdict_look(const RigStatMetric *metric)
{
	const RigVerdict *verdict = &metric->verdict;

	if (verdict->kind == RIG_VERDICT_CHANGED && rig_change_is_tiny(metric->change))
		return "moved";
	if (verdict->kind == RIG_VERDICT_CHANGED && verdict->word) {
		if (g_str_equal(verdict->word, "worse"))
			return "bad";
		return g_str_equal(verdict->word, "better") ? "good" : "moved";
	}
	return verdict->kind == RIG_VERDICT_EQUIVALENT ? "same" : "open";
}

static void add_verdict(GString *out, const RigStatMetric *metric)
{
	const RigVerdict *v = &metric->verdict;
	const char *word = rig_change_is_tiny(metric->change) ? NULL : v->word;

	rig_markup_add(out, "<li><span class=\"badge %s\">%s%s%s</span> <b>%s</b>: %s.</li>\n",
		       verdict_look(metric), rig_verdict_name(v->kind), word ? ", " : "",
		       word ? word : "", metric->info->name, v->reason ? v->reason : "");
}

static void add_counts(GString *out, const RigStatCompare *stats)
{
	const RigScreen *screen = stats->screen;

	rig_markup_add(out,
		       "<li>Counters of the kernel: %u changed of %u that were tested (q at most "
		       "%s), %u appeared, %u vanished.</li>\n",
		       stats->found->len, screen->n_tested, "0.05", stats->appeared->len,
		       stats->vanished->len);
}

static void add_failures_verdict(GString *out, const RigStatCompare *stats)
{
	const RigStatFailures *f = &stats->failures;
	g_autofree char *p = rig_number_people(f->p);

	if (f->base_fails + f->head_fails == 0)
		return;
	rig_markup_add(out,
		       "<li>Failed runs: %u of %u on the base, %u of %u on the head (Fisher's "
		       "exact p = %s).</li>\n",
		       f->base_fails, f->base_runs, f->head_fails, f->head_runs, p);
}

static void add_expected(GString *out, const RigExpected *expected)
{
	g_autofree char *summary = expected ? rig_expected_summary(expected) : NULL;

	if (!expected)
		return;
	rig_markup_add(out, "<li>Recipe %s.<ul>\n", summary);
	for (guint i = 0; i < expected->counters->len; i++) {
		g_autofree char *text = rig_expected_text(g_ptr_array_index(expected->counters, i));

		rig_markup_add(out, "<li>%s</li>\n", text);
	}
	g_string_append(out, "</ul></li>\n");
}

static void add_verdicts(RigHtmlPage *page, guint head)
{
	const RigStatCompare *stats = g_ptr_array_index(page->stats, head - 1);

	if (page->stats->len > 1)
		rig_markup_add(page->out, "<h3>%s</h3>\n",
			       rig_sides_at(page->compare->sides, head)->name);
	g_string_append(page->out, "<ul class=\"verdicts\">\n");
	for (guint m = 0; m < stats->metrics->len; m++) {
		const RigStatMetric *metric = g_ptr_array_index(stats->metrics, m);

		if (metric->primary)
			add_verdict(page->out, metric);
	}
	add_failures_verdict(page->out, stats);
	add_counts(page->out, stats);
	add_expected(page->out, g_ptr_array_index(page->expected, head - 1));
	g_string_append(page->out, "</ul>\n");
}

void rig_html_add_facts(RigHtmlPage *page)
{
	const RigSides *sides = page->compare->sides;

	rig_markup_add(page->out, "<header>\n<h1>%s</h1>\n<p class=\"sub\">",
		       sides->workload ? sides->workload : "comparison");
	for (guint s = 0; s < sides->sides->len; s++)
		rig_markup_add(page->out, "%s<span class=\"key k%u\">%s</span>",
			       s ? " against " : "", s % 4, rig_sides_at(sides, s)->name);
	rig_markup_add(page->out, "%s%s</p>\n</header>\n", sides->topology ? " on " : "",
		       sides->topology ? sides->topology : "");
	g_string_append(page->out, "<section id=\"verdict\">\n<h2>Verdict</h2>\n");
	for (guint head = 1; head < sides->sides->len; head++)
		add_verdicts(page, head);
	add_list(page);
	g_string_append(page->out, "</section>\n");
}
