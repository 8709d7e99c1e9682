/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan-view.c - a plan before it is carried out: order, time, and what it can see.
 */
#include "cli/plan-view.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "report/outlook.h"

typedef struct {
	const RigRunSession *session;
	double effect;
	GPtrArray *outlooks; /* RigOutlook*: one a value of the sweep */
	double seconds;	     /* all runs that are not done */
} View;

static void view_clear(View *view)
{
	g_clear_pointer(&view->outlooks, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(View, view_clear)

/* What is known of a guest that is up: where its records go. */
static char *filed_as(const RigRunSession *session)
{
	g_autoptr(GHashTable) facts = session->guest ? rig_guest_manifest(session->guest) : NULL;

	if (!session->guest)
		return rig_run_session_filed_as(session);
	return g_strdup(g_hash_table_lookup(facts, "topology.filed_as"));
}

static guint left_of_value(const RigRunSession *session, guint value)
{
	guint n = 0;

	for (guint i = 0; i < session->plan->n_steps; i++)
		n += session->plan->steps[i].value == value && !(session->done && session->done[i]);
	return n;
}

static gboolean look_ahead(View *view, const RigRunOptions *options, GError **error)
{
	const RigRunSession *session = view->session;
	g_autofree char *topology = filed_as(session);
	RigOutlookInput input = {
		.results = session->store,
		.state = session->cli->paths->state,
		.topology = topology ? topology : "unknown",
		.emulated = session->guest ? rig_guest_class(session->guest) == 'C'
					   : session->fresh.accel == RIG_ACCEL_TCG,
		.n_blocks = session->plan->n_blocks,
		.paired = session->file->paired,
		.method_fixed = options->method != NULL,
		.effect = view->effect,
	};

	view->outlooks = g_ptr_array_new_with_free_func((GDestroyNotify)rig_outlook_free);
	for (guint i = 0; i < session->workloads->len; i++) {
		RigOutlook *outlook;

		input.workload = session->workloads->pdata[i];
		outlook = rig_outlook_new(&input, error);
		if (!outlook)
			return FALSE;
		g_ptr_array_add(view->outlooks, outlook);
		view->seconds += outlook->run_s * left_of_value(session, i);
	}
	return TRUE;
}

/* For people. */

static void print_steps(const RigRunSession *session)
{
	const RigPlan *plan = session->plan;
	const char *sweep = session->file->sweep;

	for (guint i = 0; i < plan->n_steps; i++) {
		const RigPlanStep *step = &plan->steps[i];

		printf("  run %u  block %u  %s", i + 1, step->block + 1,
		       session->side_names[step->side]);
		if (sweep)
			printf("  %s=%s", sweep, session->file->values[step->value]);
		printf("%s\n", session->done && session->done[i] ? "  done" : "");
	}
}

/* "29%", "120%", "0.3 points". g_free. */
static char *change_text(const RigOutlookMetric *m, double change)
{
	return g_strdup_printf(change < 100 ? "%.2g%s" : "%.0f%s", change,
			       m->points ? " points" : "%");
}

static void print_metric(const View *view, const RigOutlook *outlook, const RigOutlookMetric *m)
{
	guint blocks = view->session->plan->n_blocks;
	g_autofree char *spread = change_text(m, m->spread);
	g_autofree char *seen = change_text(m, m->detectable);
	g_autofree char *effect = change_text(m, view->effect);

	printf("  %s%s\n    boots are %s apart (A/A of %u blocks, class %c)\n", m->name,
	       m->judged ? "" : " (a timing: shown, never judged in class C)", spread,
	       outlook->noise_blocks, outlook->noise_class);
	if (isfinite(m->detectable))
		printf("    %u blocks see a change of %s\n", blocks, seen);
	else
		printf("    %u block sees no change\n", blocks);
	if (m->needed)
		printf("    to see %s takes %u blocks\n", effect, m->needed);
	else if (view->effect > 0)
		printf("    no number of blocks sees %s\n", effect);
}

static void print_outlook(const View *view, guint i)
{
	const RigOutlook *outlook = view->outlooks->pdata[i];
	const RigRunSession *session = view->session;

	if (session->file->sweep)
		printf("%s=%s:\n", session->file->sweep, session->file->values[i]);
	for (guint m = 0; m < outlook->metrics->len; m++)
		print_metric(view, outlook, outlook->metrics->pdata[m]);
	if (!outlook->noise_blocks)
		printf("  what it can see is unknown: nothing was calibrated for this workload "
		       "with these\n  parameters on this topology (rig calibrate %s)\n",
		       session->workload->name);
}

static void print_view(const View *view)
{
	const RigRunSession *session = view->session;
	const RigPlan *plan = session->plan;
	const RigOutlook *first = view->outlooks->pdata[0];
	g_autofree char *time = rig_text_duration(view->seconds);

	printf("workload %s, seed %" G_GUINT64_FORMAT ", %u run%s%s%s\n", session->workload->name,
	       session->seed, plan->n_steps, plan->n_steps == 1 ? "" : "s",
	       session->topology ? " on topology " : "",
	       session->topology ? session->topology->name : "");
	print_steps(session);
	printf("time: about %s", time);
	if (first->run_n == 1)
		printf(" (the last such run took %.0f s)\n", first->run_s);
	else if (first->run_n)
		printf(" (the last %u such runs took %.0f s each)\n", first->run_n, first->run_s);
	else
		printf(" (an estimate: there are no such runs yet)\n");
	if (plan->n_sides < 2 && !view->effect)
		return;
	printf("judged by: %s%s\n", session->file->paired ? "pairs of a block" : "Welch's test",
	       session->file->looks ? ", with looks (a change before the end needs p < 0.001)"
				    : "");
	for (guint i = 0; i < view->outlooks->len; i++)
		print_outlook(view, i);
}

/* For machines. */

static void step_json(const RigRunSession *session, guint i, RigJsonWriter *writer)
{
	const RigPlanStep *step = &session->plan->steps[i];

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "block", step->block);
	rig_json_add_int(writer, "slot", step->slot);
	rig_json_add_string(writer, "side", session->side_names[step->side]);
	if (session->file->sweep)
		rig_json_add_string(writer, "value", session->file->values[step->value]);
	if (session->done)
		rig_json_add_bool(writer, "done", session->done[i]);
	rig_json_close_object(writer);
}

void rig_plan_view_json(const RigRunSession *session, RigJsonWriter *writer)
{
	const RigPlanFile *file = session->file;

	rig_json_open_object(writer, "plan");
	rig_json_add_string(writer, "id", file->id);
	rig_json_add_int(writer, "seed", (gint64)session->plan->seed);
	rig_json_add_int(writer, "blocks", session->plan->n_blocks);
	rig_json_add_string(writer, "method", rig_planfile_method(file));
	rig_json_add_int(writer, "looks", file->looks);
	rig_json_add_strings(writer, "sides", (const char *const *)session->side_names);
	if (file->sweep) {
		rig_json_open_object(writer, "sweep");
		rig_json_add_string(writer, "name", file->sweep);
		rig_json_add_strings(writer, "values", (const char *const *)file->values);
		rig_json_close_object(writer);
	}
	rig_json_open_array(writer, "steps");
	for (guint i = 0; i < session->plan->n_steps; i++)
		step_json(session, i, writer);
	rig_json_close_array(writer);
	rig_json_close_object(writer);
}

static void metric_json(const RigOutlookMetric *m, RigJsonWriter *writer)
{
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "name", m->name);
	rig_json_add_string(writer, "unit", m->points ? "points" : "percent");
	rig_json_add_bool(writer, "judged", m->judged);
	rig_json_add_double(writer, "spread", m->spread);
	rig_json_add_double(writer, "detectable", m->detectable);
	rig_json_add_int(writer, "blocks_needed", m->needed);
	rig_json_close_object(writer);
}

static void outlook_json(const View *view, guint i, RigJsonWriter *writer)
{
	const RigOutlook *outlook = view->outlooks->pdata[i];
	const RigPlanFile *file = view->session->file;

	rig_json_open_object(writer, NULL);
	if (file->sweep)
		rig_json_add_string(writer, "value", file->values[i]);
	rig_json_add_string(writer, "params", outlook->params);
	rig_json_add_double(writer, "run_s", outlook->run_s);
	rig_json_add_int(writer, "run_n", outlook->run_n);
	rig_json_add_int(writer, "noise_blocks", outlook->noise_blocks);
	rig_json_open_array(writer, "metrics");
	for (guint m = 0; m < outlook->metrics->len; m++)
		metric_json(outlook->metrics->pdata[m], writer);
	rig_json_close_array(writer);
	rig_json_close_object(writer);
}

static void print_json(const View *view)
{
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "workload", view->session->workload->name);
	rig_plan_view_json(view->session, writer);
	rig_json_add_double(writer, "expected_s", view->seconds);
	rig_json_add_double(writer, "effect", view->effect);
	rig_json_open_array(writer, "outlook");
	for (guint i = 0; i < view->outlooks->len; i++)
		outlook_json(view, i, writer);
	rig_json_close_array(writer);
	rig_json_open_array(writer, "runs");
	rig_json_close_array(writer);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
}

gboolean rig_plan_view(RigCli *cli, const RigRunSession *session, const RigRunOptions *options,
		       GError **error)
{
	g_auto(View) view = {.session = session};

	if (!rig_run_options_effect(options, &view.effect, error) ||
	    !look_ahead(&view, options, error))
		return FALSE;
	if (cli->json)
		print_json(&view);
	else
		print_view(&view);
	return TRUE;
}
