/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record-pack.c - brief records as bytes, to and fro.
 *
 * One description of a record serves both ways, so the two cannot differ. What is read comes from a
 * file: every length is held against what is left, every choice against its range, and the first
 * thing that does not fit ends it.
 */
#include "model/record-pack.h"

#include <math.h>
#include <string.h>

/* Either OUT is written or P to END is read. */
typedef struct {
	GByteArray *out;
	const guint8 *p, *end;
	gboolean ok;
} Stream;

static gsize left(const Stream *stream)
{
	return (gsize)(stream->end - stream->p);
}

static void pass(Stream *stream, gpointer data, gsize size)
{
	if (stream->out) {
		g_byte_array_append(stream->out, data, (guint)size);
		return;
	}
	stream->ok = stream->ok && size <= left(stream);
	if (!stream->ok) {
		memset(data, 0, size);
		return;
	}
	memcpy(data, stream->p, size);
	stream->p += size;
}

/* How many follow, each of which takes at least ITEM bytes. */
static guint32 pass_count(Stream *stream, guint32 count, gsize item)
{
	pass(stream, &count, sizeof(count));
	if (stream->out)
		return count;
	if (count > left(stream) / item)
		stream->ok = FALSE;
	return stream->ok ? count : 0;
}

/* A choice below N. */
static guint32 pass_choice(Stream *stream, guint32 value, guint32 n)
{
	pass(stream, &value, sizeof(value));
	if (value >= n)
		stream->ok = FALSE;
	return stream->ok || stream->out ? value : 0;
}

static void pass_flag(Stream *stream, gboolean *flag)
{
	*flag = (gboolean)pass_choice(stream, *flag ? 1 : 0, 2);
}

static void pass_finite(Stream *stream, double *value)
{
	pass(stream, value, sizeof(*value));
	if (!isfinite(*value))
		stream->ok = FALSE;
}

static char *read_text(Stream *stream, guint32 length)
{
	const char *text = (const char *)stream->p;

	if (!stream->ok || length > left(stream) || !g_utf8_validate_len(text, length, NULL)) {
		stream->ok = FALSE;
		return g_strdup("");
	}
	stream->p += length;
	return g_strndup(text, length);
}

/* NULL is told from "": length 0 stands for it, others are one more than they are. */
static void pass_text(Stream *stream, char **text)
{
	guint32 length = *text ? (guint32)strlen(*text) + 1 : 0;

	pass(stream, &length, sizeof(length));
	if (stream->out && length)
		pass(stream, *text, length - 1);
	else if (!stream->out && length)
		*text = read_text(stream, length - 1);
}

/* A text that every record has. */
static void pass_needed(Stream *stream, char **text)
{
	pass_text(stream, text);
	if (*text)
		return;
	stream->ok = FALSE;
	if (!stream->out)
		*text = g_strdup("");
}

static void pass_texts(Stream *stream, RigRecord *record)
{
	pass_needed(stream, &record->id);
	pass_needed(stream, &record->workload);
	pass_text(stream, &record->suite);
	pass_text(stream, &record->params);
	pass_text(stream, &record->topology);
	pass_text(stream, &record->image);
	pass_text(stream, &record->kconfig);
	pass_text(stream, &record->compiler);
	pass_text(stream, &record->kernel);
	pass_text(stream, &record->side);
	pass_text(stream, &record->outcome_text);
}

static void pass_head(Stream *stream, RigRecord *record)
{
	pass_texts(stream, record);
	record->class = (char)('A' + pass_choice(stream, (guint32)(record->class - 'A'), 3));
	record->outcome = (RigOutcome)pass_choice(stream, (guint32)record->outcome,
						  RIG_OUTCOME_INTERRUPTED + 1);
	pass(stream, &record->started, sizeof(record->started));
	pass_finite(stream, &record->duration_s);
}

static void write_manifest(Stream *stream, const RigRecord *record)
{
	GHashTableIter iter;
	gpointer key, value;

	pass_count(stream, g_hash_table_size(record->manifest), 1);
	g_hash_table_iter_init(&iter, record->manifest);
	while (g_hash_table_iter_next(&iter, &key, &value)) {
		pass_text(stream, (char **)&key);
		pass_text(stream, (char **)&value);
	}
}

static void read_manifest(Stream *stream, RigRecord *record)
{
	guint32 n = pass_count(stream, 0, 2 * sizeof(guint32));

	for (guint32 i = 0; i < n && stream->ok; i++) {
		char *key = NULL, *value = NULL;

		pass_needed(stream, &key);
		pass_needed(stream, &value);
		g_hash_table_insert(record->manifest, key, value);
	}
}

static void pass_notes(Stream *stream, RigRecord *record)
{
	guint32 n = pass_count(stream, record->notes->len, sizeof(guint32));

	for (guint32 i = 0; i < n && stream->ok; i++) {
		char *note = stream->out ? g_ptr_array_index(record->notes, i) : NULL;

		pass_needed(stream, &note);
		if (!stream->out)
			g_ptr_array_add(record->notes, note);
	}
}

static void pass_def(Stream *stream, RigMetricDef *def)
{
	pass_needed(stream, &def->name);
	pass_text(stream, &def->field);
	pass_text(stream, &def->pattern);
	pass_needed(stream, &def->unit);
	pass_text(stream, &def->text);
	def->from = (RigFrom)pass_choice(stream, def->from, RIG_FROM_STDOUT + 1);
	def->reduce = (RigReduce)pass_choice(stream, def->reduce, RIG_REDUCE_VALUE + 1);
	def->direction = (RigDirection)pass_choice(stream, def->direction, RIG_NEITHER + 1);
	def->kind = (RigKind)pass_choice(stream, def->kind, RIG_KIND_COUNT + 1);
	pass_flag(stream, &def->primary);
	pass_flag(stream, &def->optional);
	pass_flag(stream, &def->control);
	pass_finite(stream, &def->margin);
}

static void pass_defs(Stream *stream, RigRecord *record)
{
	guint32 n = pass_count(stream, record->defs->len, sizeof(guint32));

	for (guint32 i = 0; i < n && stream->ok; i++) {
		RigMetricDef *def =
			stream->out ? g_ptr_array_index(record->defs, i) : g_new0(RigMetricDef, 1);

		pass_def(stream, def);
		if (!stream->out)
			g_ptr_array_add(record->defs, def);
	}
}

static RigPhase *phase_new(void)
{
	RigPhase *phase = g_new0(RigPhase, 1);

	phase->counters = rig_metrics_new();
	return phase;
}

static void pass_phases(Stream *stream, RigRecord *record)
{
	guint32 n = pass_count(stream, record->phases->len, sizeof(guint32));

	for (guint32 i = 0; i < n && stream->ok; i++) {
		RigPhase *phase = stream->out ? g_ptr_array_index(record->phases, i) : phase_new();

		pass_needed(stream, &phase->name);
		pass(stream, &phase->start_ns, sizeof(phase->start_ns));
		pass(stream, &phase->end_ns, sizeof(phase->end_ns));
		if (!stream->out)
			g_ptr_array_add(record->phases, phase);
	}
}

/* Numbers: how many, the values, the names, each with its NUL. */

static void write_metrics(Stream *stream, const RigMetrics *metrics)
{
	guint n = rig_metrics_count(metrics);

	pass_count(stream, n, 1);
	for (guint i = 0; i < n; i++) {
		double value = rig_metrics_value(metrics, i);

		pass(stream, &value, sizeof(value));
	}
	for (guint i = 0; i < n; i++) {
		const char *name = rig_metrics_name(metrics, i);

		pass(stream, (gpointer)name, strlen(name) + 1);
	}
}

/* The names are the last thing. TRUE if they are those of NAMES. */
static gboolean same_names(const Stream *stream, guint32 n, const GPtrArray *names)
{
	const char *p = (const char *)stream->p, *end = (const char *)stream->end;

	if (!names || names->len != n)
		return FALSE;
	for (guint32 i = 0; i < n; i++) {
		const char *name = g_ptr_array_index(names, i);
		gsize size = strlen(name) + 1;

		if (size > (gsize)(end - p) || memcmp(p, name, size) != 0)
			return FALSE;
		p += size;
	}
	return p == end;
}

/* NULL unless they are N texts, ascending. */
static GPtrArray *read_names(Stream *stream, guint32 n)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_full(n, g_free);
	const char *p = (const char *)stream->p, *end = (const char *)stream->end;
	const char *before = NULL;

	for (guint32 i = 0; i < n; i++) {
		gsize length = strnlen(p, (gsize)(end - p));

		if (p + length == end || !g_utf8_validate_len(p, length, NULL) ||
		    (before && strcmp(before, p) >= 0))
			return NULL;
		g_ptr_array_add(names, g_strdup(p));
		before = p;
		p += length + 1;
	}
	return p == end ? g_steal_pointer(&names) : NULL;
}

static RigMetrics *read_metrics(Stream *stream, GPtrArray **names)
{
	guint32 n = pass_count(stream, 0, sizeof(double) + 1);
	g_autofree double *values = g_new(double, n);

	for (guint32 i = 0; i < n && stream->ok; i++)
		pass_finite(stream, &values[i]);
	if (!stream->ok)
		return NULL;
	if (!same_names(stream, n, *names)) {
		GPtrArray *own = read_names(stream, n);

		if (!own)
			return NULL;
		g_clear_pointer(names, g_ptr_array_unref);
		*names = own;
	}
	return rig_metrics_new_over(*names, values);
}

/* All but the numbers. */
static void pass_record(Stream *stream, RigRecord *record)
{
	pass_head(stream, record);
	if (stream->out)
		write_manifest(stream, record);
	else
		read_manifest(stream, record);
	pass_notes(stream, record);
	pass_defs(stream, record);
	pass_phases(stream, record);
}

gboolean rig_record_pack(const RigRecord *record, GByteArray *out)
{
	Stream stream = {.out = out, .ok = TRUE};

	/* Nothing of it is changed when it is written. */
	pass_record(&stream, (RigRecord *)record);
	write_metrics(&stream, record->metrics);
	return stream.ok;
}

RigRecord *rig_record_unpack(const guint8 *data, gsize length, GPtrArray **names)
{
	g_autoptr(RigRecord) record = rig_record_new();
	Stream stream = {.p = data, .end = data + length, .ok = TRUE};
	RigMetrics *metrics;

	pass_record(&stream, record);
	metrics = stream.ok ? read_metrics(&stream, names) : NULL;
	if (!metrics)
		return NULL;
	rig_metrics_free(record->metrics);
	record->metrics = metrics;
	return g_steal_pointer(&record);
}
