/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-html.c - the page: what stands in it, that nothing from outside becomes markup, that it
 * needs nothing from anywhere. How it behaves in a browser is tested in tests/html.
 */
#include "report/html.h"

#include "base/json.h"
#include "expect.h"
#include "html-run.h"
#include "report/report-json.h"
#include "report/trace.h"

static void add_side(RigSides *sides, const char *name, double throughput, guint n, guint failed,
		     const char *hostile, GHashTable *traces)
{
	g_autoptr(GPtrArray) records =
		g_ptr_array_new_with_free_func((GDestroyNotify)rig_record_free);

	for (guint i = 0; i < n + failed; i++) {
		HtmlRun spec = {.throughput = throughput + 100 * i,
				.faults = 40 + i,
				.used = 256,
				.started = 1000 + 10 * i,
				.kernel = name,
				.side = name,
				.hostile = hostile,
				.block = i,
				.order = i,
				.failed = i >= n};
		RigRecord *record = html_record(&spec);
		g_autoptr(RigRawRun) raw = html_raw(&spec);

		record->id = g_strdup_printf("%s-%u", name, i);
		g_ptr_array_add(records, record);
		if (traces && !spec.failed)
			g_hash_table_insert(traces, g_strdup(record->id),
					    rig_trace_new(record, raw));
	}
	rig_sides_add_records(sides, name, records);
}

static GHashTable *traces_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
				     (GDestroyNotify)rig_trace_free);
}

static char *render(const RigSides *sides, GHashTable *traces)
{
	g_autoptr(RigCompare) compare = rig_compare_new(sides);

	g_autoptr(RigJudgement) judgement = rig_judgement_new(compare, NULL);

	return rig_html_render(&(RigHtmlInput){.judgement = judgement, .traces = traces});
}

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		g_error("\"%s\" is not in the page", part);
}

static guint count(const char *text, const char *part)
{
	guint n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

static void test_structure(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GHashTable) traces = traces_new();
	g_autofree char *page = NULL;
	static const char *const parts[] = {"verdict", "doubts",   "metrics",
					    "time",    "counters", "runs"};

	add_side(sides, "base", 500000, 4, 0, NULL, traces);
	add_side(sides, "head", 450000, 4, 1, NULL, traces);
	page = render(sides, traces);
	g_assert_true(g_str_has_prefix(page, "<!DOCTYPE html>\n"));
	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		g_autofree char *section = g_strdup_printf("<section id=\"%s\">", parts[i]);

		g_assert_cmpuint(count(page, section), ==, 1);
	}
	g_assert_cmpuint(count(page, "<section"), ==, count(page, "</section>"));
	g_assert_cmpuint(count(page, "<figure>"), ==, count(page, "</figure>"));
	g_assert_cmpuint(count(page, "<article"), ==, count(page, "</article>"));
	g_assert_cmpuint(count(page, "<svg"), ==, count(page, "</svg>"));
	/* One primary metric has three figures; over time each subject has one a side. */
	g_assert_cmpuint(count(page, "<figcaption>base</figcaption>"), ==,
			 count(page, "<figcaption>head</figcaption>"));
	expect_part(page, "w.throughput, every run, side by side");
	expect_part(page, "w.throughput, runs in the order of time");
	expect_part(page, "w.throughput, task by task");
	expect_part(page, "Memory used on each node");
	expect_part(page, "Remote anonymous memory");
	expect_part(page, "A (KVM, bound to host nodes)");
	expect_part(page, "Kernel panic - not syncing: fatal");
	expect_part(page, "1 of 5 on the head");
	expect_part(page, "<span class=\"badge bad\">changed, worse</span>");
	g_assert_null(strstr(page, "nan"));
	g_assert_null(strstr(page, "inf\""));
}

/* Whatever a guest says stays text, in every place where it can stand. */
/* What the class forbids and that several plans are behind it stand among the doubts. */
static void test_wary(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autofree char *page = NULL;
	g_autofree char *real = NULL;

	add_side(sides, "base", 500000, 4, 0, NULL, NULL);
	add_side(sides, "head", 450000, 4, 0, NULL, NULL);
	real = render(sides, NULL);
	g_assert_null(strstr(real, "prove nothing"));
	g_assert_null(strstr(real, "plans: if runs"));
	for (guint s = 0; s < 2; s++) {
		const RigSide *side = rig_sides_at(sides, s);

		rig_sides_at(sides, s)->class = 'C';
		for (guint i = 0; i < 2; i++) {
			RigSideRun *run = g_ptr_array_index(side->runs, i);

			g_hash_table_insert(run->manifest, g_strdup("plan.id"), g_strdup("other"));
		}
	}
	page = render(sides, NULL);
	expect_part(page, "<li>class C: the guests were emulated, so timings prove nothing");
	expect_part(page, "<li>the runs are of 2 plans: if runs were added");
	g_assert_null(strstr(page, "changed, worse"));
	g_assert_null(strstr(page, "changed, better"));
}

static void test_hostile(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autofree char *page = NULL;

	add_side(sides, "base", 500000, 3, 0, HTML_HOSTILE, NULL);
	add_side(sides, HTML_HOSTILE, 450000, 3, 1, HTML_HOSTILE, NULL);
	g_free(sides->workload);
	sides->workload = g_strdup(HTML_HOSTILE);
	g_free(sides->topology);
	sides->topology = g_strdup(HTML_HOSTILE);
	page = render(sides, NULL);
	g_assert_null(strstr(page, "<img"));
	g_assert_null(strstr(page, "onerror=\""));
	/* One style, and two scripts: the data and the page's own. */
	g_assert_cmpuint(count(page, "<script"), ==, 2);
	g_assert_cmpuint(count(page, "</script"), ==, 2);
	g_assert_cmpuint(count(page, "<style"), ==, 1);
	g_assert_cmpuint(count(page, "</style"), ==, 1);
	expect_part(page, "&lt;img src=x onerror=&quot;h()&quot;&gt;&apos;&amp;");
}

static void test_needs_nothing(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autofree char *page = NULL;
	static const char *const never[] = {"http://", "https://", "src=",    "@import",
					    "url(",    "style=\"", "onclick", "fetch("};

	add_side(sides, "base", 500000, 3, 0, NULL, NULL);
	add_side(sides, "head", 450000, 3, 0, NULL, NULL);
	page = render(sides, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(never); i++)
		if (strstr(page, never[i]))
			g_error("the page holds %s", never[i]);
	g_assert_cmpuint(count(page, "<link"), ==, 1);
	expect_part(page, "<link rel=\"icon\" href=\"data:,\">");
	expect_part(page, "default-src 'none'");
}

/* The text between OPEN and CLOSE. g_free. */
static char *between(const char *page, const char *open, const char *close)
{
	const char *start = strstr(page, open), *end;

	g_assert_nonnull(start);
	start += strlen(open);
	end = strstr(start, close);
	g_assert_nonnull(end);
	return g_strndup(start, (gsize)(end - start));
}

/* The policy lets run what stands in the page and nothing else. */
static void test_policy(void)
{
	static const char *const pieces[][2] = {{"<style>", "</style>"},
						{"</script>\n<script>", "</script>"}};
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autofree char *page = NULL;

	add_side(sides, "base", 500000, 2, 0, NULL, NULL);
	add_side(sides, "head", 450000, 2, 0, NULL, NULL);
	page = render(sides, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(pieces); i++) {
		g_autofree char *text = between(page, pieces[i][0], pieces[i][1]);
		g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
		guint8 digest[32];
		gsize length = sizeof(digest);
		g_autofree char *base64 = NULL;
		g_autofree char *source = NULL;

		g_checksum_update(sum, (const guchar *)text, -1);
		g_checksum_get_digest(sum, digest, &length);
		base64 = g_base64_encode(digest, length);
		source = g_strdup_printf("'sha256-%s'", base64);
		expect_part(page, source);
	}
}

/* In place: what rig_markup_json() did to "<", ">" and "&". */
static void undo_escapes(char *text)
{
	static const struct {
		const char *from;
		char to;
	} escapes[] = {{"\\u003c", '<'}, {"\\u003e", '>'}, {"\\u0026", '&'}};

	for (guint i = 0; i < G_N_ELEMENTS(escapes); i++)
		for (char *at = text; (at = strstr(at, escapes[i].from)); at++) {
			*at = escapes[i].to;
			memmove(at + 1, at + 6, strlen(at + 6) + 1);
		}
}

static void test_json(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(RigCompare) compare = NULL;
	g_autoptr(RigJudgement) judgement = NULL;
	g_autoptr(RigJsonWriter) writer = NULL;
	g_autofree char *page = NULL;
	g_autofree char *data = NULL;
	g_autofree char *wanted = NULL;

	add_side(sides, "base", 500000, 3, 0, HTML_HOSTILE, NULL);
	add_side(sides, "head", 450000, 3, 0, HTML_HOSTILE, NULL);
	compare = rig_compare_new(sides);
	judgement = rig_judgement_new(compare, NULL);
	page = rig_html_render(&(RigHtmlInput){.judgement = judgement});
	data = between(page, "id=\"data\">", "</script>");
	writer = rig_report_json(compare);
	wanted = rig_json_writer_text(writer, FALSE);
	g_assert_null(strchr(data, '<'));
	undo_escapes(data);
	g_assert_cmpstr(data, ==, wanted);
}

static void test_odd_sides(void)
{
	g_autoptr(RigSides) failed = rig_sides_new();
	g_autoptr(RigSides) many = rig_sides_new();
	g_autofree char *page = NULL;
	g_autofree char *other = NULL;

	/* Nothing whole on a side, and one run on the other. */
	add_side(failed, "base", 500000, 1, 0, NULL, NULL);
	add_side(failed, "head", 450000, 0, 2, NULL, NULL);
	page = render(failed, NULL);
	expect_part(page, "none of its 2 runs was whole");
	expect_part(page, "No run left samples that could be drawn.");
	g_assert_null(strstr(page, "nan"));
	/* Five sides: each head has its columns. */
	for (guint i = 0; i < 5; i++) {
		g_autofree char *name = g_strdup_printf("v%u", i);

		add_side(many, name, 500000 - 10000 * i, 3, 0, NULL, NULL);
	}
	other = render(many, NULL);
	g_assert_cmpuint(count(other, "data-sort=\"n\">change</th>"), ==, 4);
	expect_part(other, "w.throughput, KB/s | v4");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/html/structure", test_structure);
	g_test_add_func("/html/wary", test_wary);
	g_test_add_func("/html/hostile", test_hostile);
	g_test_add_func("/html/needs-nothing", test_needs_nothing);
	g_test_add_func("/html/policy", test_policy);
	g_test_add_func("/html/json", test_json);
	g_test_add_func("/html/odd-sides", test_odd_sides);
	return g_test_run();
}
