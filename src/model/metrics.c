/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics.c - a set of named numbers, as a sorted array: a record has some thousands, they are
 * written once and read in order.
 */
#include "model/metrics.h"

#include <math.h>
#include <string.h>

struct RigMetrics {
	GPtrArray *names; /* char*, in order */
	GArray *values;	  /* double, one a name */
	gboolean shared;  /* NAMES are other sets' as well, and not changed */
};

RigMetrics *rig_metrics_new(void)
{
	RigMetrics *metrics = g_new0(RigMetrics, 1);

	metrics->names = g_ptr_array_new_with_free_func(g_free);
	metrics->values = g_array_new(FALSE, FALSE, sizeof(double));
	return metrics;
}

RigMetrics *rig_metrics_new_over(GPtrArray *names, const double *values)
{
	RigMetrics *metrics = g_new0(RigMetrics, 1);

	metrics->names = g_ptr_array_ref(names);
	metrics->values = g_array_sized_new(FALSE, FALSE, sizeof(double), names->len);
	g_array_append_vals(metrics->values, values, names->len);
	metrics->shared = TRUE;
	return metrics;
}

void rig_metrics_free(RigMetrics *metrics)
{
	if (!metrics)
		return;
	g_ptr_array_unref(metrics->names);
	g_array_unref(metrics->values);
	g_free(metrics);
}

/* The place of NAME, or where it would be inserted. */
static gboolean find(const RigMetrics *metrics, const char *name, guint *place)
{
	guint low = 0, high = metrics->names->len;

	/* Most sets are filled in order. */
	if (high && strcmp(name, g_ptr_array_index(metrics->names, high - 1)) > 0)
		low = high;
	while (low < high) {
		guint middle = low + (high - low) / 2;
		int order = strcmp(name, g_ptr_array_index(metrics->names, middle));

		if (order == 0) {
			*place = middle;
			return TRUE;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	*place = low;
	return FALSE;
}

static gpointer copy_name(gconstpointer name, gpointer data)
{
	return g_strdup(name);
}

static void insert(RigMetrics *metrics, guint place, const char *name)
{
	double none = 0;

	if (metrics->shared) {
		GPtrArray *own = g_ptr_array_copy(metrics->names, copy_name, NULL);

		g_ptr_array_set_free_func(own, g_free);
		g_ptr_array_unref(metrics->names);
		metrics->names = own;
		metrics->shared = FALSE;
	}
	g_ptr_array_insert(metrics->names, (gint)place, g_strdup(name));
	g_array_insert_val(metrics->values, place, none);
}

void rig_metrics_set(RigMetrics *metrics, const char *name, double value)
{
	guint place;

	if (!isfinite(value))
		return;
	if (!find(metrics, name, &place))
		insert(metrics, place, name);
	g_array_index(metrics->values, double, place) = value;
}

void rig_metrics_add(RigMetrics *metrics, const char *name, double value)
{
	double before = 0;

	rig_metrics_get(metrics, name, &before);
	rig_metrics_set(metrics, name, before + value);
}

gboolean rig_metrics_get(const RigMetrics *metrics, const char *name, double *value)
{
	guint place;

	if (!find(metrics, name, &place))
		return FALSE;
	*value = g_array_index(metrics->values, double, place);
	return TRUE;
}

guint rig_metrics_count(const RigMetrics *metrics)
{
	return metrics->names->len;
}

const char *rig_metrics_name(const RigMetrics *metrics, guint i)
{
	return g_ptr_array_index(metrics->names, i);
}

double rig_metrics_value(const RigMetrics *metrics, guint i)
{
	return g_array_index(metrics->values, double, i);
}

const GPtrArray *rig_metrics_names(const RigMetrics *metrics)
{
	return metrics->names;
}

void rig_metrics_to_json(const RigMetrics *metrics, RigJsonWriter *writer, const char *key)
{
	rig_json_open_object(writer, key);
	for (guint i = 0; i < metrics->names->len; i++)
		rig_json_add_double(writer, rig_metrics_name(metrics, i),
				    rig_metrics_value(metrics, i));
	rig_json_close_object(writer);
}

static void take_number(const char *name, double value, gpointer metrics)
{
	rig_metrics_set(metrics, name, value);
}

gboolean rig_metrics_from_json(RigMetrics *metrics, RigJson *object)
{
	rig_json_numbers(object, take_number, metrics);
	return !object || rig_json_ok(object);
}
