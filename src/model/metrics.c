/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics.c - a set of named numbers, as a sorted array: a record has some thousands, they are
 * written once and read in order.
 */
#include "model/metrics.h"

#include <math.h>
#include <string.h>

typedef struct {
	char *name;
	double value;
} Metric;

struct RigMetrics {
	GArray *items; /* Metric, by name */
};

RigMetrics *rig_metrics_new(void)
{
	RigMetrics *metrics = g_new0(RigMetrics, 1);

	metrics->items = g_array_new(FALSE, FALSE, sizeof(Metric));
	return metrics;
}

void rig_metrics_free(RigMetrics *metrics)
{
	if (!metrics)
		return;
	for (guint i = 0; i < metrics->items->len; i++)
		g_free(g_array_index(metrics->items, Metric, i).name);
	g_array_unref(metrics->items);
	g_free(metrics);
}

/* The place of NAME, or where it would be inserted. */
static gboolean find(const RigMetrics *metrics, const char *name, guint *place)
{
	guint low = 0, high = metrics->items->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		int order = strcmp(name, g_array_index(metrics->items, Metric, middle).name);

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

void rig_metrics_set(RigMetrics *metrics, const char *name, double value)
{
	guint place;

	if (!isfinite(value))
		return;
	if (!find(metrics, name, &place)) {
		Metric metric = {.name = g_strdup(name)};

		g_array_insert_val(metrics->items, place, metric);
	}
	g_array_index(metrics->items, Metric, place).value = value;
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
	*value = g_array_index(metrics->items, Metric, place).value;
	return TRUE;
}

guint rig_metrics_count(const RigMetrics *metrics)
{
	return metrics->items->len;
}

const char *rig_metrics_name(const RigMetrics *metrics, guint i)
{
	return g_array_index(metrics->items, Metric, i).name;
}

double rig_metrics_value(const RigMetrics *metrics, guint i)
{
	return g_array_index(metrics->items, Metric, i).value;
}

void rig_metrics_to_json(const RigMetrics *metrics, RigJsonWriter *writer, const char *key)
{
	rig_json_open_object(writer, key);
	for (guint i = 0; i < metrics->items->len; i++)
		rig_json_add_double(writer, rig_metrics_name(metrics, i),
				    rig_metrics_value(metrics, i));
	rig_json_close_object(writer);
}

gboolean rig_metrics_from_json(RigMetrics *metrics, RigJson *object)
{
	g_auto(GStrv) names = object ? rig_json_keys(object) : NULL;

	for (guint i = 0; names && names[i]; i++)
		rig_metrics_set(metrics, names[i],
				rig_json_double(object, names[i], RIG_JSON_REQUIRED, 0));
	return !object || rig_json_ok(object);
}
