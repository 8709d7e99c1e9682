/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ktap.c - the checks of a comparison as KTAP.
 */
#include "report/ktap.h"

#include "base/text.h"

/* A "#" would begin a directive. */
static char *word_of(const char *text)
{
	return g_strdelimit(rig_text_safe_line(text, -1), "#", '_');
}

static char *name_of(const RigJudgement *judgement, const RigGateCheck *check)
{
	const RigSides *sides = judgement->compare->sides;
	g_autofree char *name = word_of(check->name);
	g_autofree char *side = word_of(rig_sides_at(sides, check->head)->name);

	/* One head needs no name; of several, each check says whose it is. */
	if (sides->sides->len == 2)
		return g_steal_pointer(&name);
	return g_strdup_printf("%s: %s", side, name);
}

static void add_check(GString *out, const RigJudgement *judgement, const RigGateCheck *check,
		      guint number)
{
	g_autofree char *name = name_of(judgement, check);
	g_autofree char *reason = word_of(check->reason);

	if (check->result == RIG_GATE_PASS || check->result == RIG_GATE_FAIL) {
		g_string_append_printf(out, "    # %s: %s\n    %s %u %s\n", name, reason,
				       check->result == RIG_GATE_PASS ? "ok" : "not ok", number,
				       name);
	} else {
		/* A reason that begins with the result does not need it twice. */
		const char *result = rig_gate_result_name(check->result);
		gboolean said = g_str_has_prefix(reason, result);

		g_string_append_printf(out, "    ok %u %s # SKIP %s%s%s\n", number, name,
				       said ? "" : result, said ? "" : ": ", reason);
	}
}

char *rig_ktap_render(const RigJudgement *judgement, const GPtrArray *checks)
{
	const RigSides *sides = judgement->compare->sides;
	g_autofree char *topology = word_of(sides->topology ? sides->topology : "topology");
	g_autofree char *workload = word_of(sides->workload ? sides->workload : "workload");
	GString *out = g_string_new("KTAP version 1\n1..1\n");
	gboolean failed = FALSE;

	g_string_append_printf(out, "  KTAP version 1\n  # Subtest: %s\n  1..1\n", topology);
	g_string_append_printf(out, "    KTAP version 1\n    # Subtest: %s\n    1..%u\n", workload,
			       checks->len);
	for (guint i = 0; i < checks->len; i++) {
		const RigGateCheck *check = g_ptr_array_index(checks, i);

		add_check(out, judgement, check, i + 1);
		failed |= check->result == RIG_GATE_FAIL;
	}
	g_string_append_printf(out, "  %s 1 %s\n", failed ? "not ok" : "ok", workload);
	g_string_append_printf(out, "%s 1 %s\n", failed ? "not ok" : "ok", topology);
	return g_string_free(out, FALSE);
}
