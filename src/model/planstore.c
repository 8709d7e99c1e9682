/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * planstore.c - the plans that were begun, and how far each has come.
 */
#include "model/planstore.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "model/store.h"

#define RECORD_MAX (64 * 1024 * 1024)
/* How far back an interrupted plan is looked for. */
#define PLANS_LOOKED_AT 20
#define PLANS_NAMED 5

static char *plans_dir(const char *state)
{
	return g_build_filename(state, "plans", NULL);
}

char *rig_planstore_path(const char *state, const char *id)
{
	g_autofree char *name = g_strconcat(id, ".json", NULL);

	return g_build_filename(state, "plans", name, NULL);
}

gboolean rig_planstore_save(const char *state, const RigPlanFile *file, GError **error)
{
	g_autofree char *dir = plans_dir(state);
	g_autofree char *path = rig_planstore_path(state, file->id);
	g_autofree char *text = rig_planfile_to_json(file);

	return rig_file_make_dirs(dir, 0755, error) && rig_file_write(path, text, -1, 0644, error);
}

/* Listing. */

static gint newest_first(gconstpointer a, gconstpointer b)
{
	const RigPlanFile *left = *(const RigPlanFile *const *)a;
	const RigPlanFile *right = *(const RigPlanFile *const *)b;

	if (left->created != right->created)
		return left->created > right->created ? -1 : 1;
	return strcmp(left->id, right->id);
}

/* RigPlanFile*; a file that is no plan is passed over. */
static GPtrArray *list_plans(const char *state)
{
	GPtrArray *plans = g_ptr_array_new_with_free_func((GDestroyNotify)rig_planfile_free);
	g_autofree char *path = plans_dir(state);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *at = g_build_filename(path, name, NULL);
		RigPlanFile *file =
			g_str_has_suffix(name, ".json") ? rig_planfile_load(at, NULL) : NULL;

		if (file)
			g_ptr_array_add(plans, file);
	}
	g_ptr_array_sort(plans, newest_first);
	return plans;
}

static void unknown_plan(const char *state, const char *id, GError **error)
{
	g_autoptr(GPtrArray) plans = list_plans(state);
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < plans->len && i < PLANS_NAMED; i++)
		g_string_append_printf(names, "%s%s", i ? ", " : "; the latest are ",
				       ((RigPlanFile *)g_ptr_array_index(plans, i))->id);
	rig_error_set(error, RIG_ERROR_USAGE, "there is no plan \"%s\"%s", id, names->str);
}

RigPlanFile *rig_planstore_load(const char *state, const char *id, GError **error)
{
	g_autofree char *path = NULL;

	if (!rig_file_check_name("plan", id, error))
		return NULL;
	path = rig_planstore_path(state, id);
	if (g_file_test(path, G_FILE_TEST_EXISTS))
		return rig_planfile_load(path, error);
	unknown_plan(state, id, error);
	return NULL;
}

/* Beginning and extending. */

static gboolean refuse_more(const RigPlanFile *file, guint n_blocks, GError **error)
{
	rig_error_set_hint(error, RIG_ERROR_USAGE,
			   "make a new plan with more blocks, or plan looks beforehand (rig plan "
			   "--looks N)",
			   "plan %s has %u blocks and no looks: %u blocks after the data were "
			   "seen would make p too small",
			   file->id, file->plan->n_blocks, n_blocks);
	return FALSE;
}

gboolean rig_planstore_extend(RigPlanFile *file, guint n_blocks, GError **error)
{
	if (n_blocks == file->plan->n_blocks)
		return TRUE;
	if (n_blocks < file->plan->n_blocks) {
		rig_error_set(error, RIG_ERROR_USAGE, "plan %s has %u blocks: %u are fewer",
			      file->id, file->plan->n_blocks, n_blocks);
		return FALSE;
	}
	if (!file->looks)
		return refuse_more(file, n_blocks, error);
	rig_plan_extend(file->plan, n_blocks);
	return TRUE;
}

/* TRUE if BEGUN with more blocks is FILE to the letter. */
static gboolean only_has_more_blocks(const RigPlanFile *begun, const RigPlanFile *file)
{
	g_autofree char *text = rig_planfile_to_json(begun);
	g_autoptr(RigPlanFile) longer = rig_planfile_parse("plan", text, NULL);
	g_autofree char *wanted = rig_planfile_to_json(file);
	g_autofree char *got = NULL;

	if (!longer)
		return FALSE;
	rig_plan_extend(longer->plan, file->plan->n_blocks);
	got = rig_planfile_to_json(longer);
	return g_str_equal(got, wanted);
}

static gboolean agree(const RigPlanFile *begun, const RigPlanFile *file, gboolean *longer,
		      GError **error)
{
	g_autofree char *old = rig_planfile_to_json(begun);
	g_autofree char *now = rig_planfile_to_json(file);

	*longer = FALSE;
	if (g_str_equal(old, now))
		return TRUE;
	if (file->plan->n_blocks > begun->plan->n_blocks && !begun->looks)
		return refuse_more(begun, file->plan->n_blocks, error);
	*longer = begun->looks && only_has_more_blocks(begun, file);
	if (*longer)
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_USAGE, "rig plan ... --output FILE makes a new plan",
			   "plan %s was begun and is not changed any more, but this one differs",
			   file->id);
	return FALSE;
}

gboolean rig_planstore_begin(const char *state, const RigPlanFile *file, GError **error)
{
	g_autofree char *path = rig_planstore_path(state, file->id);
	g_autoptr(RigPlanFile) begun = NULL;
	gboolean longer;

	if (!g_file_test(path, G_FILE_TEST_EXISTS))
		return rig_planstore_save(state, file, error);
	begun = rig_planfile_load(path, error);
	if (!begun || !agree(begun, file, &longer, error))
		return FALSE;
	return !longer || rig_planstore_save(state, file, error);
}

/* How far. */

static const char *manifest_of(const RigRecord *record, const char *key)
{
	return g_hash_table_lookup(record->manifest, key);
}

/* Without its samples, which are not needed. A record that cannot be read is none. */
static RigRecord *read_record(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, "record.json", NULL);
	g_autofree char *text = rig_file_read(path, RECORD_MAX, NULL, NULL);
	RigRecord *record = text ? rig_record_parse(path, text, NULL) : NULL;

	if (record)
		record->dir = g_strdup(dir);
	return record;
}

/* The step of FILE that RECORD is of; n_steps if none. */
static guint step_of(const RigPlanFile *file, const RigRecord *record)
{
	const char *step = manifest_of(record, "plan.step");
	guint64 number;

	if (g_strcmp0(manifest_of(record, "plan.id"), file->id) != 0 || !step ||
	    !g_ascii_string_to_unsigned(step, 10, 0, G_MAXUINT, &number, NULL))
		return file->plan->n_steps;
	return (guint)MIN(number, file->plan->n_steps);
}

/* One place a step: its record (owned), or NULL. */
static GPtrArray *find_records(const char *results, const RigPlanFile *file, GError **error)
{
	RigStoreQuery query = {.workload = file->workload.name};
	g_autoptr(GPtrArray) entries = rig_store_list(results, &query, error);
	GPtrArray *found;

	if (!entries)
		return NULL;
	found = g_ptr_array_new_with_free_func((GDestroyNotify)rig_record_free);
	g_ptr_array_set_size(found, (gint)file->plan->n_steps);
	for (guint i = 0; i < entries->len; i++) {
		const RigStoreEntry *entry = g_ptr_array_index(entries, i);
		g_autoptr(RigRecord) record =
			g_str_equal(entry->plan, file->id) ? read_record(entry->dir) : NULL;
		guint step = record ? step_of(file, record) : file->plan->n_steps;

		if (step < file->plan->n_steps && !found->pdata[step])
			found->pdata[step] = g_steal_pointer(&record);
	}
	return found;
}

gboolean *rig_planstore_done(const char *results, const RigPlanFile *file, guint *n_done,
			     GError **error)
{
	g_autoptr(GPtrArray) found = find_records(results, file, error);
	gboolean *done;

	if (!found)
		return NULL;
	*n_done = 0;
	done = g_new0(gboolean, MAX(found->len, 1));
	for (guint i = 0; i < found->len; i++) {
		done[i] = found->pdata[i] != NULL;
		*n_done += done[i];
	}
	return done;
}

GPtrArray *rig_planstore_records(const char *results, const RigPlanFile *file, GError **error)
{
	GPtrArray *found = find_records(results, file, error);

	for (guint i = found ? found->len : 0; i > 0; i--)
		if (!found->pdata[i - 1])
			g_ptr_array_remove_index(found, i - 1);
	return found;
}

RigPlanFile *rig_planstore_unfinished(const char *state, const char *results, gboolean aa,
				      GError **error)
{
	g_autoptr(GPtrArray) plans = list_plans(state);

	for (guint i = 0, looked = 0; i < plans->len && looked < PLANS_LOOKED_AT; i++) {
		RigPlanFile *file = g_ptr_array_index(plans, i);
		g_autofree gboolean *done = NULL;
		guint n_done;

		if (file->aa != aa)
			continue;
		looked++;
		done = rig_planstore_done(results, file, &n_done, error);
		if (!done)
			return NULL;
		if (n_done < file->plan->n_steps)
			return g_ptr_array_steal_index(plans, i);
	}
	rig_error_set(error, RIG_ERROR_USAGE, "there is no plan that was interrupted");
	return NULL;
}
