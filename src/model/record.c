/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record.c - record.json, to and from text (docs/records.md).
 */
#include "model/record.h"

#include <string.h>

#define RECORD_VERSION 1

RigRecord *rig_record_new(void)
{
	RigRecord *record = g_new0(RigRecord, 1);

	record->class = 'C';
	record->manifest = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	record->phases = g_ptr_array_new_with_free_func((GDestroyNotify)rig_phase_free);
	record->metrics = rig_metrics_new();
	record->samples = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						(GDestroyNotify)g_array_unref);
	record->defs = g_ptr_array_new_with_free_func((GDestroyNotify)rig_metric_def_free);
	record->notes = g_ptr_array_new_with_free_func(g_free);
	return record;
}

void rig_record_free(RigRecord *record)
{
	if (!record)
		return;
	g_free(record->id);
	g_free(record->dir);
	g_free(record->workload);
	g_free(record->suite);
	g_free(record->params);
	g_free(record->topology);
	g_free(record->image);
	g_free(record->kconfig);
	g_free(record->compiler);
	g_free(record->kernel);
	g_free(record->side);
	g_free(record->outcome_text);
	g_clear_pointer(&record->manifest, g_hash_table_unref);
	g_clear_pointer(&record->phases, g_ptr_array_unref);
	rig_metrics_free(record->metrics);
	g_clear_pointer(&record->samples, g_hash_table_unref);
	g_clear_pointer(&record->defs, g_ptr_array_unref);
	g_clear_pointer(&record->notes, g_ptr_array_unref);
	g_free(record);
}

void rig_record_manifest(RigRecord *record, const char *key, const char *value)
{
	if (value)
		g_hash_table_insert(record->manifest, g_strdup(key), g_strdup(value));
}

static void take_resolved(RigRecord *record, GHashTable *resolved)
{
	GHashTableIter iter;
	gpointer name, value;

	g_hash_table_iter_init(&iter, resolved);
	while (g_hash_table_iter_next(&iter, &name, &value)) {
		g_autofree char *key = g_strdup_printf("resolved.%s", (char *)name);

		rig_record_manifest(record, key, value);
	}
}

void rig_record_take_result(RigRecord *record, RigRunResult *result, const RigWorkload *workload)
{
	if (result->resolved)
		take_resolved(record, result->resolved);
		/* Swapped, so that each is still freed by its owner. */
#define SWAP(a, b)                      \
	do {                            \
		gpointer swapped = (a); \
		(a) = (b);              \
		(b) = swapped;          \
	} while (0)
	SWAP(record->phases, result->phases);
	SWAP(record->metrics, result->all);
	SWAP(record->samples, result->samples);
	SWAP(record->notes, result->notes);
	SWAP(record->outcome_text, result->outcome_text);
#undef SWAP
	record->outcome = result->outcome;
	g_ptr_array_set_size(record->defs, 0);
	for (guint i = 0; i < workload->metrics->len; i++)
		g_ptr_array_add(record->defs,
				rig_metric_def_copy(g_ptr_array_index(workload->metrics, i)));
}

/* Writing. */

/* Keys in order, so that two records of one run are the same to the letter. */
static void write_manifest(const RigRecord *record, RigJsonWriter *writer)
{
	g_autoptr(GList) keys = g_hash_table_get_keys(record->manifest);

	keys = g_list_sort(keys, (GCompareFunc)strcmp);
	rig_json_open_object(writer, "manifest");
	for (GList *at = keys; at; at = at->next)
		rig_json_add_string(writer, at->data,
				    g_hash_table_lookup(record->manifest, at->data));
	rig_json_close_object(writer);
}

static void write_head(const RigRecord *record, RigJsonWriter *writer)
{
	char class[2] = {record->class, '\0'};

	rig_json_add_int(writer, "version", RECORD_VERSION);
	rig_json_add_string(writer, "id", record->id);
	rig_json_add_string(writer, "workload", record->workload);
	rig_json_add_string(writer, "suite", record->suite);
	rig_json_add_string(writer, "params", record->params);
	rig_json_add_string(writer, "topology", record->topology);
	rig_json_add_string(writer, "image", record->image);
	rig_json_add_string(writer, "kconfig", record->kconfig);
	rig_json_add_string(writer, "compiler", record->compiler);
	rig_json_add_string(writer, "kernel", record->kernel);
	rig_json_add_string(writer, "side", record->side);
	rig_json_add_string(writer, "class", class);
	rig_json_add_int(writer, "started", record->started);
	rig_json_add_double(writer, "duration_s", record->duration_s);
	rig_json_add_string(writer, "outcome", rig_outcome_name(record->outcome));
	rig_json_add_string(writer, "outcome_text", record->outcome_text);
}

static void write_phases(const RigRecord *record, RigJsonWriter *writer)
{
	rig_json_open_array(writer, "phases");
	for (guint i = 0; i < record->phases->len; i++) {
		const RigPhase *phase = g_ptr_array_index(record->phases, i);

		rig_json_open_object(writer, NULL);
		rig_json_add_string(writer, "name", phase->name);
		rig_json_add_int(writer, "start_ns", phase->start_ns);
		rig_json_add_int(writer, "end_ns", phase->end_ns);
		rig_metrics_to_json(phase->counters, writer, "counters");
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
}

char *rig_record_to_json(const RigRecord *record)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	write_head(record, writer);
	write_manifest(record, writer);
	rig_json_open_array(writer, "notes");
	for (guint i = 0; i < record->notes->len; i++)
		rig_json_add_string(writer, NULL, g_ptr_array_index(record->notes, i));
	rig_json_close_array(writer);
	rig_json_open_array(writer, "definitions");
	for (guint i = 0; i < record->defs->len; i++)
		rig_metric_def_to_json(g_ptr_array_index(record->defs, i), writer);
	rig_json_close_array(writer);
	rig_metrics_to_json(record->metrics, writer, "metrics");
	write_phases(record, writer);
	rig_json_close_object(writer);
	return rig_json_writer_text(writer, TRUE);
}

/* Reading. */

static char *text_of(RigJson *root, const char *key, RigJsonFlags flags)
{
	return g_strdup(rig_json_string(root, key, flags));
}

static void read_names(RigRecord *record, RigJson *root)
{
	record->id = text_of(root, "id", RIG_JSON_REQUIRED);
	record->workload = text_of(root, "workload", RIG_JSON_REQUIRED);
	record->suite = text_of(root, "suite", RIG_JSON_OPTIONAL);
	record->params = text_of(root, "params", RIG_JSON_OPTIONAL);
	record->topology = text_of(root, "topology", RIG_JSON_OPTIONAL);
	record->image = text_of(root, "image", RIG_JSON_OPTIONAL);
	record->kconfig = text_of(root, "kconfig", RIG_JSON_OPTIONAL);
	record->compiler = text_of(root, "compiler", RIG_JSON_OPTIONAL);
	record->kernel = text_of(root, "kernel", RIG_JSON_OPTIONAL);
	record->side = text_of(root, "side", RIG_JSON_OPTIONAL);
	record->outcome_text = text_of(root, "outcome_text", RIG_JSON_OPTIONAL);
}

static void read_head(RigRecord *record, RigJson *root)
{
	static const char *const classes[] = {"A", "B", "C", NULL};
	const char *outcome = rig_json_string(root, "outcome", RIG_JSON_REQUIRED);

	rig_json_int(root, "version", RIG_JSON_REQUIRED, RECORD_VERSION, RECORD_VERSION, 0);
	read_names(record, root);
	record->class = classes[rig_json_choice(root, "class", RIG_JSON_REQUIRED, classes, 2)][0];
	record->started = rig_json_int(root, "started", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	record->duration_s = rig_json_double(root, "duration_s", RIG_JSON_REQUIRED, 0);
	if (outcome && !rig_outcome_from_name(outcome, &record->outcome))
		rig_json_fail(root, "outcome", "'%s' is no outcome", outcome);
}

static void read_manifest(RigRecord *record, RigJson *root)
{
	RigJson *object = rig_json_object(root, "manifest", RIG_JSON_REQUIRED);
	g_auto(GStrv) keys = object ? rig_json_keys(object) : NULL;

	for (guint i = 0; keys && keys[i]; i++)
		rig_record_manifest(record, keys[i],
				    rig_json_string(object, keys[i], RIG_JSON_REQUIRED));
}

static void read_phases(RigRecord *record, RigJson *root)
{
	RigJson *list = rig_json_array(root, "phases", RIG_JSON_REQUIRED);

	for (guint i = 0; i < rig_json_length(list); i++) {
		RigJson *entry = rig_json_at(list, i);
		RigPhase *phase = g_new0(RigPhase, 1);

		phase->name = text_of(entry, "name", RIG_JSON_REQUIRED);
		phase->start_ns =
			rig_json_int(entry, "start_ns", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
		phase->end_ns = rig_json_int(entry, "end_ns", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
		phase->counters = rig_metrics_new();
		rig_metrics_from_json(phase->counters,
				      rig_json_object(entry, "counters", RIG_JSON_REQUIRED));
		g_ptr_array_add(record->phases, phase);
	}
}

static void read_lists(RigRecord *record, RigJson *root)
{
	RigJson *defs = rig_json_array(root, "definitions", RIG_JSON_REQUIRED);
	g_auto(GStrv) notes = rig_json_strings(root, "notes", RIG_JSON_REQUIRED);

	for (guint i = 0; i < rig_json_length(defs); i++)
		g_ptr_array_add(record->defs, rig_metric_def_from_json(rig_json_at(defs, i)));
	for (guint i = 0; notes && notes[i]; i++)
		g_ptr_array_add(record->notes, g_strdup(notes[i]));
}

RigRecord *rig_record_parse(const char *name, const char *text, GError **error)
{
	g_autoptr(RigJson) root = rig_json_parse(name, text, -1, error);
	g_autoptr(RigRecord) record = rig_record_new();

	if (!root)
		return NULL;
	read_head(record, root);
	read_manifest(record, root);
	read_lists(record, root);
	read_phases(record, root);
	rig_metrics_from_json(record->metrics, rig_json_object(root, "metrics", RIG_JSON_REQUIRED));
	return rig_json_finish(root, error) ? g_steal_pointer(&record) : NULL;
}
