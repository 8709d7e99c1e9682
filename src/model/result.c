/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * result.c - one run's raw text becomes numbers and a verdict whether the run is whole.
 *
 * The verdict comes last and is strict: a run of which something is missing or wrong is failed,
 * whatever good numbers it also left.
 */
#include "model/result-private.h"

#include "base/error.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define NOTES_MAX 50
#define REASON_LENGTH_MAX 300
#define STDERR_LENGTH_MAX 200

void rig_run_result_sample(RigRunResult *result, const char *name, double value)
{
	GArray *values = g_hash_table_lookup(result->samples, name);

	if (!values) {
		values = g_array_new(FALSE, FALSE, sizeof(double));
		g_hash_table_insert(result->samples, g_strdup(name), values);
	}
	g_array_append_val(values, value);
}

void rig_run_result_note(RigRunResult *result, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	if (result->notes->len >= NOTES_MAX)
		return;
	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_ptr_array_add(result->notes, rig_text_safe(text, -1));
}

static RigRunResult *result_new(void)
{
	RigRunResult *result = g_new0(RigRunResult, 1);

	result->phases = g_ptr_array_new_with_free_func((GDestroyNotify)rig_phase_free);
	result->all = rig_metrics_new();
	result->samples = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						(GDestroyNotify)g_array_unref);
	result->notes = g_ptr_array_new_with_free_func(g_free);
	return result;
}

void rig_run_result_free(RigRunResult *result)
{
	if (!result)
		return;
	/* Callers steal what they keep. */
	g_clear_pointer(&result->phases, g_ptr_array_unref);
	g_clear_pointer(&result->all, rig_metrics_free);
	g_clear_pointer(&result->samples, g_hash_table_unref);
	g_clear_pointer(&result->resolved, g_hash_table_unref);
	g_clear_pointer(&result->notes, g_ptr_array_unref);
	g_free(result->outcome_text);
	g_free(result);
}

/* The first reason counts: later ones mostly follow from it. */
static void fail(RigRunResult *result, RigOutcome outcome, const char *format, ...)
	G_GNUC_PRINTF(3, 4);
static void fail(RigRunResult *result, RigOutcome outcome, const char *format, ...)
{
	g_autofree char *text = NULL;
	g_autofree char *safe = NULL;
	va_list args;

	if (result->outcome != RIG_OUTCOME_OK)
		return;
	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	safe = rig_text_safe(text, (gssize)strnlen(text, REASON_LENGTH_MAX));
	g_strdelimit(safe, "\n", ' ');
	result->outcome = outcome;
	result->outcome_text = g_steal_pointer(&safe);
}

/* ": " and the last line that the program left on stderr, mostly the reason why it ended; the one
 * before where the last is a hint, as rig's own programs give one. "" if there is none. */
static char *last_words(const RigRawRun *raw)
{
	g_autofree char *text = g_strndup(raw->err->str, raw->err->len);
	g_autofree char *safe = NULL;
	const char *line;

	line = rig_text_last_lines(g_strchomp(text), 1);
	if (g_str_has_prefix(line, "hint: ") && line > text) {
		text[line - text - 1] = '\0';
		line = rig_text_last_lines(g_strchomp(text), 1);
	}
	line += strspn(line, " \t\r");
	safe = rig_text_safe_line(line, (gssize)strnlen(line, STDERR_LENGTH_MAX));
	return *safe ? g_strdup_printf(": %.*s", STDERR_LENGTH_MAX, safe) : g_strdup("");
}

/* How the program ended. */
static void judge_end(RigRunResult *result, const RigRawRun *raw, const RigProgramSaid *said)
{
	const char *reason = said->fails->len ? g_ptr_array_index(said->fails, 0) : NULL;
	g_autofree char *last = last_words(raw);

	if (raw->timeout)
		fail(result, RIG_OUTCOME_TIMEOUT, "the workload ran out of its time%s%s",
		     raw->phase ? " in phase " : "", raw->phase ? raw->phase : "");
	if (reason)
		fail(result, RIG_OUTCOME_WORKLOAD, "%s", reason);
	if (raw->signal)
		fail(result, RIG_OUTCOME_WORKLOAD, "the program was killed by signal %d%s",
		     raw->signal, last);
	if (raw->code != 0)
		fail(result, RIG_OUTCOME_WORKLOAD, "the program exited with %d%s", raw->code, last);
}

/* Results: as many as there were tasks, each task once. */
static void judge_results(RigRunResult *result, const RigWorkload *workload,
			  const RigProgramSaid *said)
{
	const char *count = workload->results_count;
	g_autoptr(GHashTable) tasks = g_hash_table_new(g_double_hash, g_double_equal);
	g_autofree double *ids = g_new0(double, said->results->len + 1);

	if (!count)
		return;
	if (!g_ascii_isdigit(*count))
		count = g_hash_table_lookup(said->resolved, count);
	if (!count)
		fail(result, RIG_OUTCOME_PARTIAL, "the program never said its %s",
		     workload->results_count);
	else if (g_ascii_strtoull(count, NULL, 10) != said->results->len)
		fail(result, RIG_OUTCOME_PARTIAL, "%u results of %s tasks", said->results->len,
		     count);
	for (guint i = 0; i < said->results->len; i++)
		if (rig_metrics_get(g_ptr_array_index(said->results, i), "task", &ids[i]) &&
		    !g_hash_table_add(tasks, &ids[i]))
			fail(result, RIG_OUTCOME_PARTIAL, "two results of task %.0f", ids[i]);
}

static gboolean has_phase(const RigRunResult *result, const char *name)
{
	for (guint i = 0; i < result->phases->len; i++)
		if (g_str_equal(((RigPhase *)g_ptr_array_index(result->phases, i))->name, name))
			return TRUE;
	return FALSE;
}

static void judge_phases(RigRunResult *result, const RigWorkload *workload)
{
	for (guint i = 0; workload->measured[i]; i++)
		if (!has_phase(result, workload->measured[i]))
			fail(result, RIG_OUTCOME_PARTIAL, "phase %s is missing",
			     workload->measured[i]);
}

static void judge_metrics(RigRunResult *result, const RigWorkload *workload)
{
	double value;

	for (guint i = 0; i < workload->metrics->len; i++) {
		const RigMetricDef *def = g_ptr_array_index(workload->metrics, i);

		if (!def->optional && !rig_metrics_get(result->all, def->name, &value))
			fail(result, RIG_OUTCOME_PARTIAL, "%s has no value%s", def->name,
			     def->from == RIG_FROM_STDOUT
				     ? ": its pattern matches nothing in raw/stdout"
				     : "");
	}
}

/* What the program did comes before what it left out, and what the kernel did to it before both; a
 * WARNING comes late, for a program that also failed by itself is the better news. */
static void judge(RigRunResult *result, const RigRawRun *raw, const RigWorkload *workload,
		  const RigProgramSaid *said)
{
	g_autofree char *line = NULL;
	RigOutcome log = rig_outcome_scan_log(raw->kmsg->str, &line);

	if (!raw->done)
		fail(result, RIG_OUTCOME_LOST, "the end of the run never came");
	if (log != RIG_OUTCOME_OK && log != RIG_OUTCOME_WARNING)
		fail(result, log, "kernel: %s", line);
	judge_end(result, raw, said);
	if (log == RIG_OUTCOME_WARNING)
		fail(result, log, "kernel: %s", line);
	if (said->broken->len)
		fail(result, RIG_OUTCOME_PARTIAL, "%s", (char *)g_ptr_array_index(said->broken, 0));
	judge_results(result, workload, said);
	judge_phases(result, workload);
	judge_metrics(result, workload);
}

static void take_metric(RigRunResult *result, const RigRawRun *raw, const RigProgramSaid *said,
			const RigMetricDef *def)
{
	g_autoptr(GArray) values = rig_program_values(said, raw, def);

	if (!values->len)
		return;
	rig_metrics_set(result->all, def->name, rig_program_reduce(def, values));
	for (guint i = 0; def->reduce != RIG_REDUCE_VALUE && i < values->len; i++)
		rig_run_result_sample(result, def->name, g_array_index(values, double, i));
}

RigRunResult *rig_run_result_compute(const RigRawRun *raw, const RigWorkload *workload)
{
	RigRunResult *result = result_new();
	g_autoptr(RigProgramSaid) said = rig_program_read(raw);

	rig_phases_compute(result, raw, workload);
	for (guint i = 0; i < workload->metrics->len; i++)
		take_metric(result, raw, said, g_ptr_array_index(workload->metrics, i));
	result->resolved = g_hash_table_ref(said->resolved);
	judge(result, raw, workload, said);
	if (raw->full)
		rig_run_result_note(result,
				    "sampling stopped early: the run's text grew too large");
	return result;
}
