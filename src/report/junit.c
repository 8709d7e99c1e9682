/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * junit.c - the checks of a comparison as JUnit's XML.
 */
#include "base/text.h"
#include "report/ktap.h"

static char *attribute(const char *text)
{
	g_autofree char *safe = rig_text_safe_line(text, -1);

	return g_markup_escape_text(safe, -1);
}

static guint count(const GPtrArray *checks, RigGateResult result)
{
	guint n = 0;

	for (guint i = 0; i < checks->len; i++)
		n += ((const RigGateCheck *)g_ptr_array_index(checks, i))->result == result;
	return n;
}

static void add_case(GString *out, const RigJudgement *judgement, const char *suite,
		     const RigGateCheck *check)
{
	const RigSide *head = rig_sides_at(judgement->compare->sides, check->head);
	g_autofree char *name = attribute(check->name);
	g_autofree char *side = attribute(head->name);
	g_autofree char *reason = attribute(check->reason);

	g_string_append_printf(out, "    <testcase classname=\"%s.%s\" name=\"%s\">\n", suite, side,
			       name);
	if (check->result == RIG_GATE_FAIL)
		g_string_append_printf(out, "      <failure message=\"%s\"/>\n", reason);
	else if (check->result == RIG_GATE_PASS)
		g_string_append_printf(out, "      <system-out>%s</system-out>\n", reason);
	else
		g_string_append_printf(out, "      <skipped message=\"%s\"/>\n", reason);
	g_string_append(out, "    </testcase>\n");
}

char *rig_junit_render(const RigJudgement *judgement, const GPtrArray *checks)
{
	const RigSides *sides = judgement->compare->sides;
	g_autofree char *topology = attribute(sides->topology ? sides->topology : "topology");
	g_autofree char *workload = attribute(sides->workload ? sides->workload : "workload");
	g_autofree char *suite = g_strdup_printf("%s.%s", topology, workload);
	guint failed = count(checks, RIG_GATE_FAIL);
	guint skipped = count(checks, RIG_GATE_INCONCLUSIVE) + count(checks, RIG_GATE_NOT_JUDGED);
	GString *out = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");

	g_string_append_printf(out,
			       "<testsuites name=\"rig\" tests=\"%u\" failures=\"%u\">\n"
			       "  <testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" "
			       "errors=\"0\" skipped=\"%u\">\n",
			       checks->len, failed, suite, checks->len, failed, skipped);
	for (guint i = 0; i < checks->len; i++)
		add_case(out, judgement, suite, g_ptr_array_index(checks, i));
	g_string_append(out, "  </testsuite>\n</testsuites>\n");
	return g_string_free(out, FALSE);
}
