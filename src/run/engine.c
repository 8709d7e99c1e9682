/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * engine.c - carries out a plan: boot, run, judge, record, take down; again and again.
 *
 * Knows guests only through the table of operations in ops.h. One step is one record: a guest that
 * did not come up or broke is a failed run and is recorded as such, while an error that speaks of
 * the host or of the caller's files ends the plan, since the next run would meet it again.
 */
#include "run/engine.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "run/progress.h"

/* A side that fails to boot this often in a row never will: each try may cost a whole deadline. */
#define BOOT_TRIES 2
#define CONSOLE_MAX (128 * 1024 * 1024)

typedef struct {
	const RigEngine *engine;
	RigProgress *progress;
	GPtrArray *records;
	guint *boot_failures; /* in a row, for each side */
} Walk;

/* Everything that one step holds until its record is written. */
typedef struct {
	RigOpsRequest request;
	gpointer handle;
	RigRawRun *raw;
	RigRecord *record;
	char *job;
	gint64 started_us;
} Step;

static void step_clear(Step *step)
{
	g_clear_pointer(&step->raw, rig_raw_run_free);
	g_clear_pointer(&step->record, rig_record_free);
	g_clear_pointer(&step->job, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Step, step_clear)

static void on_phase(const char *phase, gpointer data)
{
	rig_progress_phase(data, phase);
}

/* These say nothing of the guest: the plan cannot go on. */
static gboolean ends_plan(const GError *error)
{
	int code = rig_error_exit_code(error);

	return code == RIG_ERROR_USAGE || code == RIG_ERROR_HOST || code == RIG_ERROR_INTERRUPTED;
}

static void manifest_number(RigRecord *record, const char *key, guint64 value)
{
	g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, value);

	rig_record_manifest(record, key, text);
}

/* What tells the runs of one plan from those of another, and lets the plan be resumed. */
static void describe_file(RigRecord *record, const RigPlanFile *file, const RigPlanStep *at)
{
	rig_record_manifest(record, "plan.id", file->id);
	manifest_number(record, "plan.step", at->order);
	rig_record_manifest(record, "plan.method", rig_planfile_method(file));
	if (file->looks)
		manifest_number(record, "plan.looks", file->looks);
	if (file->sweep) {
		rig_record_manifest(record, "plan.sweep", file->sweep);
		rig_record_manifest(record, "plan.value", file->values[at->value]);
	}
	if (file->aa)
		rig_record_manifest(record, "aa", "yes");
}

static void describe_plan(RigRecord *record, const RigEngine *engine, const RigPlanStep *at)
{
	if (engine->file)
		describe_file(record, engine->file, at);
	manifest_number(record, "plan.seed", engine->plan->seed);
	manifest_number(record, "plan.blocks", engine->plan->n_blocks);
	manifest_number(record, "plan.block", at->block);
	manifest_number(record, "plan.slot", at->slot);
	manifest_number(record, "plan.order", at->order);
	manifest_number(record, "workload.seed", engine->seed + at->block);
}

static void describe_workload(RigRecord *record, const RigWorkload *workload)
{
	record->workload = g_strdup(workload->name);
	record->suite = g_strdup(workload->suite);
	record->params = rig_workload_path_params(workload);
	for (guint i = 0; i < workload->metrics->len; i++)
		g_ptr_array_add(record->defs, rig_metric_def_copy(workload->metrics->pdata[i]));
	for (guint i = 0; i < workload->parameters->len; i++) {
		const RigParameter *p = workload->parameters->pdata[i];
		g_autofree char *key = g_strdup_printf("param.%s", p->name);
		if (!rig_parameter_is_drawn(p)) /* workload.seed has it */
			rig_record_manifest(record, key, p->value);
	}
	for (guint i = 0; i < workload->settings->len; i++) {
		const RigParameter *p = workload->settings->pdata[i];
		g_autofree char *key = g_strdup_printf("setting.%s", p->name);
		rig_record_manifest(record, key, p->value);
	}
}

static const RigWorkload *workload_at(const RigEngine *engine, const RigPlanStep *at)
{
	return engine->by_value ? engine->by_value[at->value] : engine->workload;
}

static RigRecord *record_begin(const RigEngine *engine, const RigPlanStep *at)
{
	RigRecord *record = rig_record_new();

	record->started = g_get_real_time() / G_USEC_PER_SEC;
	record->side = g_strdup(engine->sides[at->side]);
	record->class = 'C';
	describe_workload(record, workload_at(engine, at));
	describe_plan(record, engine, at);
	if (engine->describe)
		engine->describe(record, at, engine->describe_data);
	return record;
}

static void take_guest_facts(const RigEngine *engine, Step *step)
{
	g_autoptr(GHashTable) facts = engine->ops->manifest(engine->ops_data, step->handle);
	GHashTableIter iter;
	gpointer key, value;

	if (facts) {
		g_hash_table_iter_init(&iter, facts);
		while (g_hash_table_iter_next(&iter, &key, &value))
			rig_record_manifest(step->record, key, value);
	}
	step->record->class = engine->ops->class(engine->ops_data, step->handle);
}

/* The numbers of a run whose messages all came. */
static void judge(Step *step, const RigWorkload *workload)
{
	RigRecord *record = step->record;
	g_autoptr(RigRunResult) result = rig_run_result_compute(step->raw, workload);

	rig_record_take_result(record, result, workload);
	manifest_number(record, "agent.cpu_ns", (guint64)MAX(step->raw->agent_cpu_ns, 0));
	manifest_number(record, "time.workload_ms",
			(guint64)MAX(step->raw->end_ns - step->raw->start_ns, 0) / 1000000);
}

static void fail_with(RigRecord *record, const GError *error)
{
	g_autofree char *first = rig_text_safe(error->message, -1);
	char *newline = strchr(first, '\n');

	if (newline)
		*newline = '\0';
	record->outcome = rig_outcome_from_error(error);
	g_free(record->outcome_text);
	record->outcome_text = g_strdup(first);
}

/* FOUND explains the run's end rather than the other way round. */
static gboolean outranks(RigOutcome found, RigOutcome outcome)
{
	static const gboolean follows[] = {
		[RIG_OUTCOME_WORKLOAD] = TRUE, [RIG_OUTCOME_PARTIAL] = TRUE,
		[RIG_OUTCOME_TIMEOUT] = TRUE,  [RIG_OUTCOME_HANG] = TRUE,
		[RIG_OUTCOME_LOST] = TRUE,     [RIG_OUTCOME_INTERRUPTED] = FALSE,
	};

	if (outcome == RIG_OUTCOME_OK)
		return TRUE;
	return (found == RIG_OUTCOME_PANIC || found == RIG_OUTCOME_OOPS) && follows[outcome];
}

/* The console may hold what kmsg no longer did, or could not be asked for: of a run that failed it
 * tells what the guest's kernel had to do with it. */
static void scan_console(Step *step, const char *console)
{
	RigRecord *record = step->record;
	g_autofree char *before = record->outcome_text;
	g_autofree char *text = NULL;
	g_autofree char *line = NULL;
	RigOutcome found;

	record->outcome_text = g_strdup(before);
	text = console ? rig_file_read_own(console, CONSOLE_MAX, NULL, NULL) : NULL;
	if (!text)
		return;
	found = rig_outcome_scan_log(text, &line);
	if (found == RIG_OUTCOME_OK || found == record->outcome)
		return;
	g_free(record->outcome_text);
	if (outranks(found, record->outcome)) {
		record->outcome = found;
		record->outcome_text = g_strdup_printf("kernel: %s%s%s", line, before ? "; " : "",
						       before ? before : "");
	} else {
		record->outcome_text =
			g_strdup_printf("%s; kernel: %s", before ? before : "", line);
	}
}

static gboolean write_record(const RigEngine *engine, Step *step, const char *console,
			     GError **error)
{
	g_autofree char *xml =
		step->handle ? engine->ops->domain_xml(engine->ops_data, step->handle) : NULL;
	g_autofree char *dump = engine->ops->dump(engine->ops_data, step->handle, &step->request);
	RigRecordFiles files = {
		.raw = step->raw,
		.console_path = console,
		.domain_xml = xml,
		.dump_path = dump,
	};

	step->record->duration_s = (double)(g_get_monotonic_time() - step->started_us) / 1e6;
	if (!rig_store_write(engine->store, step->record, &files, error))
		return FALSE;
	if (dump && g_file_test(dump, G_FILE_TEST_EXISTS))
		rig_log_warn(engine->log, "the memory dump did not fit into the record: it is %s",
			     dump);
	return TRUE;
}

/* How long a part took, so that rig's own share of a run can be told from boot and workload. */
static void note_time(RigRecord *record, const char *key, gint64 since_us)
{
	manifest_number(record, key, (guint64)(g_get_monotonic_time() - since_us) / 1000);
}

/* Boot and run. The error is the guest's fault, or ends the plan. */
static gboolean execute(const RigEngine *engine, RigProgress *progress, Step *step, GError **error)
{
	gint64 since = g_get_monotonic_time();

	step->handle = engine->ops->up(engine->ops_data, &step->request, error);
	note_time(step->record, "time.boot_ms", since);
	if (!step->handle)
		return FALSE;
	take_guest_facts(engine, step);
	rig_progress_phase(progress, "start");
	since = g_get_monotonic_time();
	step->raw = engine->ops->run(engine->ops_data, step->handle, &step->request, on_phase,
				     progress, error);
	note_time(step->record, "time.run_ms", since);
	return step->raw != NULL;
}

/* A guest that did not come up is gone by now, but its console was kept. */
static char *console_of(const RigEngine *engine, const Step *step)
{
	g_autofree char *path = NULL;

	if (step->handle)
		return engine->ops->console(engine->ops_data, step->handle);
	path = engine->ops->failed_console(engine->ops_data, &step->request);
	if (path && !g_file_test(path, G_FILE_TEST_EXISTS))
		return NULL;
	return g_steal_pointer(&path);
}

static gboolean keep(Walk *walk, Step *step, GError **error)
{
	const RigEngine *engine = walk->engine;
	g_autofree char *console = console_of(engine, step);
	g_autofree char *summary = NULL;

	scan_console(step, console);
	if (!write_record(engine, step, console, error))
		return FALSE;
	summary = rig_engine_summary(step->record);
	rig_progress_end(walk->progress, step->record->duration_s, summary);
	g_ptr_array_add(walk->records, g_steal_pointer(&step->record));
	return TRUE;
}

static gboolean count_boot(Walk *walk, guint side, const RigRecord *record, gboolean booted,
			   GError **error)
{
	walk->boot_failures[side] = booted ? 0 : walk->boot_failures[side] + 1;
	if (walk->boot_failures[side] < BOOT_TRIES)
		return TRUE;
	rig_error_set_hint(error, rig_outcome_exit_code(record->outcome),
			   "rig results show last  (its console.log tells how far it came)",
			   "side %s did not boot %d times in a row: %s", walk->engine->sides[side],
			   BOOT_TRIES, record->outcome_text);
	return FALSE;
}

static void take_down(const RigEngine *engine, Step *step)
{
	if (step->handle)
		engine->ops->down(engine->ops_data, g_steal_pointer(&step->handle));
}

static gboolean one_step(Walk *walk, const RigPlanStep *at, GError **error)
{
	const RigEngine *engine = walk->engine;
	const RigWorkload *workload = workload_at(engine, at);
	g_auto(Step) step = {.started_us = g_get_monotonic_time()};
	g_autoptr(GError) run_error = NULL;
	const RigRecord *record = NULL;
	gboolean kept = FALSE, booted;

	step.job = rig_workload_job(workload, engine->seed + at->block, engine->time_scale,
				    engine->sample_ms, engine->readback);
	step.request = (RigOpsRequest){
		.side = at->side,
		.order = at->order,
		.job = step.job,
		.timeout_ms = (int)(workload->timeout_s * 1000.0 * engine->time_scale),
	};
	step.record = record_begin(engine, at);
	rig_progress_start(walk->progress, engine->sides[at->side], at->block);
	if (execute(engine, walk->progress, &step, &run_error))
		judge(&step, workload);
	else if (ends_plan(run_error))
		g_propagate_error(error, g_steal_pointer(&run_error));
	else
		fail_with(step.record, run_error);
	booted = step.handle != NULL;
	if (!*error)
		kept = keep(walk, &step, error);
	take_down(engine, &step);
	if (!kept)
		return FALSE;
	record = walk->records->pdata[walk->records->len - 1];
	return count_boot(walk, at->side, record, booted, error);
}

static double expected_seconds(const RigEngine *engine)
{
	for (guint i = 0; i < engine->workload->parameters->len; i++) {
		const RigParameter *p = engine->workload->parameters->pdata[i];
		if (g_str_equal(p->name, "runtime"))
			return g_ascii_strtod(p->value, NULL) + 10;
	}
	return 0;
}

static guint count_done(const RigEngine *engine)
{
	guint n = 0;

	for (guint i = 0; engine->done && i < engine->plan->n_steps; i++)
		n += engine->done[i] != FALSE;
	return n;
}

/* However the plan ended; the records are what counts, so means that cannot be written are told and
 * no more. */
static void renew_means(const RigEngine *engine, const GPtrArray *records)
{
	g_autoptr(GPtrArray) dirs = g_ptr_array_new();
	g_autoptr(GError) reason = NULL;

	for (guint i = 0; i < records->len; i++)
		g_ptr_array_add(dirs, ((const RigRecord *)records->pdata[i])->dir);
	if (!rig_store_renew(engine->store, dirs, &reason))
		rig_log_warn(engine->log, "the means of the runs are not written: %s",
			     reason->message);
}

GPtrArray *rig_engine_run(const RigEngine *engine, GError **error)
{
	const RigPlan *plan = engine->plan;
	g_autofree guint *failures = g_new0(guint, plan->n_sides);
	guint n_done = count_done(engine);
	g_autoptr(RigProgress) progress =
		rig_progress_new(engine->log, plan->n_steps - n_done, expected_seconds(engine));
	GPtrArray *records = g_ptr_array_new_with_free_func((GDestroyNotify)rig_record_free);
	Walk walk = {engine, progress, records, failures};
	GError *stop = NULL;

	for (guint i = 0; i < plan->n_steps && !stop; i++) {
		if (engine->done && engine->done[i])
			continue;
		if (g_cancellable_is_cancelled(engine->cancellable))
			rig_error_set(&stop, RIG_ERROR_INTERRUPTED, "interrupted");
		else
			one_step(&walk, &plan->steps[i], &stop);
	}
	renew_means(engine, records);
	if (stop) {
		g_prefix_error(&stop, "after %u of %u runs: ", n_done + records->len,
			       plan->n_steps);
		g_propagate_error(error, stop);
	}
	return records;
}

int rig_engine_exit_code(const GPtrArray *records)
{
	for (guint i = 0; i < records->len; i++) {
		const RigRecord *record = records->pdata[i];
		if (record->outcome != RIG_OUTCOME_OK)
			return rig_outcome_exit_code(record->outcome);
	}
	return 0;
}

char *rig_engine_summary(const RigRecord *record)
{
	if (record->outcome != RIG_OUTCOME_OK)
		return g_strdup_printf("%s: %s", rig_outcome_name(record->outcome),
				       record->outcome_text ? record->outcome_text : "");
	for (guint i = 0; record->defs && i < record->defs->len; i++) {
		const RigMetricDef *def = record->defs->pdata[i];
		double value;
		if (def->primary && rig_metrics_get(record->metrics, def->name, &value))
			return g_strdup_printf("ok, %s %.6g %s", def->name, value,
					       def->unit ? def->unit : "");
	}
	return g_strdup("ok");
}
