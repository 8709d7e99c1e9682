/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * differences.c - what differs between the sides besides what is compared, and what to be wary of.
 *
 * A difference that nobody sees is the usual reason for a difference that nobody can explain.
 */
#include "report/differences.h"

#include <stdlib.h>
#include <string.h>

/* Few runs say little about spread; below this they say next to nothing. */
#define RUNS_WANTED 3

/* Keys that differ from run to run whatever is compared. A trailing dot is a prefix. */
static const char *const always_differ[] = {
	"plan.block",	       "plan.slot",    "plan.order",	"plan.side",  "started",
	"duration_s",	       "guest.name",   "guest.dir",	"guest.id",   "guest.boot_id",
	"guest.uuid",	       "agent.cpu_ns", "workload.seed", "param.seed", "resolved.seed",
	"host.load",	       "host.uptime",  "plan.step",	"time.",      "placement",
	"placement.read_back", NULL,
};

static gboolean is_listed(const char *const *list, const char *key)
{
	for (; *list; list++) {
		if (g_str_equal(*list, key))
			return TRUE;
		if (g_str_has_suffix(*list, ".") && g_str_has_prefix(key, *list))
			return TRUE;
	}
	return FALSE;
}

gboolean rig_differences_is_kernel(const char *key)
{
	return g_str_has_prefix(key, "kernel.") || g_str_equal(key, "kernel") ||
	       g_str_equal(key, "guest.release") || g_str_has_prefix(key, "bootset.");
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All manifest keys of all runs, sorted, each once. Borrowed texts. */
static GPtrArray *all_keys(const RigSides *sides)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *keys = g_ptr_array_new();
	GHashTableIter iter;
	gpointer key;

	for (guint s = 0; s < sides->sides->len; s++) {
		const RigSide *side = rig_sides_at(sides, s);

		for (guint r = 0; r < side->runs->len; r++) {
			const RigSideRun *run = g_ptr_array_index(side->runs, r);

			if (!run->manifest)
				continue;
			g_hash_table_iter_init(&iter, run->manifest);
			while (g_hash_table_iter_next(&iter, &key, NULL))
				if (g_hash_table_add(seen, key))
					g_ptr_array_add(keys, key);
		}
	}
	g_ptr_array_sort(keys, compare_texts);
	return keys;
}

/* The distinct values of KEY on a side, sorted and joined; NULL when no run has it. */
static char *side_values(const RigSide *side, const char *key)
{
	g_autoptr(GPtrArray) values = g_ptr_array_new();

	for (guint r = 0; r < side->runs->len; r++) {
		const RigSideRun *run = g_ptr_array_index(side->runs, r);
		char *value = run->manifest ? g_hash_table_lookup(run->manifest, key) : NULL;

		if (value && !g_ptr_array_find_with_equal_func(values, value, g_str_equal, NULL))
			g_ptr_array_add(values, value);
	}
	if (values->len == 0)
		return NULL;
	g_ptr_array_sort(values, compare_texts);
	g_ptr_array_add(values, NULL);
	return g_strjoinv(", ", (char **)values->pdata);
}

static void difference_free(gpointer data)
{
	RigDifference *difference = data;

	for (guint i = 0; i < difference->n_values; i++)
		g_free(difference->values[i]);
	g_free(difference->values);
	g_free(difference);
}

static RigDifference *difference_of(const RigSides *sides, const char *key)
{
	guint n = sides->sides->len;
	RigDifference *difference = g_new0(RigDifference, 1);
	gboolean differs = FALSE;

	difference->key = key;
	difference->n_values = n;
	difference->values = g_new0(char *, n);
	for (guint i = 0; i < n; i++) {
		difference->values[i] = side_values(rig_sides_at(sides, i), key);
		differs |= g_strcmp0(difference->values[i], difference->values[0]) != 0;
	}
	if (differs)
		return difference;
	difference_free(difference);
	return NULL;
}

GPtrArray *rig_differences_find(const RigSides *sides)
{
	g_autoptr(GPtrArray) keys = all_keys(sides);
	GPtrArray *found = g_ptr_array_new_with_free_func(difference_free);

	for (guint i = 0; i < keys->len; i++) {
		const char *key = g_ptr_array_index(keys, i);
		RigDifference *difference =
			is_listed(always_differ, key) ? NULL : difference_of(sides, key);

		if (difference)
			g_ptr_array_add(found, difference);
	}
	return found;
}

/* What makes a host show in a guest's figures (model/hygiene.c reads the same keys). */
static const struct {
	const char *key, *word;
	gboolean bad;	 /* WORD is the bad one; else everything but WORD is */
	gboolean timing; /* matters to timings only */
	const char *why;
} hygiene[] = {
	{"host.numa_balancing", "0", FALSE, TRUE, "the host moves the guest's memory about"},
	{"host.ksm", "1", TRUE, TRUE, "the host merges and splits the guest's pages"},
	{"host.thp", "never", TRUE, TRUE, "the guest's memory is in small pages"},
	{"host.governor", "performance", FALSE, TRUE, "the host's clock follows the load"},
	{"host.boost", "1", TRUE, TRUE, "the host's clock depends on heat and neighbours"},
	{"host.no_turbo", "0", TRUE, TRUE, "the host's clock depends on heat and neighbours"},
	{"host.swap_used", "0B", FALSE, FALSE, "parts of something were swapped out"},
};

static void warn(GPtrArray *warnings, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void warn(GPtrArray *warnings, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_ptr_array_add(warnings, g_strdup_vprintf(format, args));
	va_end(args);
}

static gboolean all_emulated(const RigSides *sides)
{
	for (guint i = 0; i < sides->sides->len; i++)
		if (rig_sides_at(sides, i)->class != 'C')
			return FALSE;
	return TRUE;
}

/* The first side that a host was unclean on speaks for all: it is the same host, mostly. */
static void warn_hygiene(const RigSides *sides, GPtrArray *warnings)
{
	gboolean emulated = all_emulated(sides);

	for (guint h = 0; h < G_N_ELEMENTS(hygiene); h++) {
		for (guint i = 0; i < sides->sides->len; i++) {
			g_autofree char *found =
				side_values(rig_sides_at(sides, i), hygiene[h].key);

			if (!found || (hygiene[h].timing && emulated) ||
			    g_str_equal(found, hygiene[h].word) != hygiene[h].bad)
				continue;
			warn(warnings, "%s was %s: %s", hygiene[h].key, found, hygiene[h].why);
			break;
		}
	}
}

static void warn_runs(const RigSide *side, GPtrArray *warnings)
{
	guint good = side->runs->len - side->n_failed;

	if (good == 0)
		warn(warnings, "%s: none of its %u runs was whole, so it has no figures",
		     side->name, side->runs->len);
	else if (good < RUNS_WANTED)
		warn(warnings, "%s: %u whole run%s; fewer than %d say next to nothing about spread",
		     side->name, good, good == 1 ? "" : "s", RUNS_WANTED);
}

GPtrArray *rig_differences_warnings(const RigSides *sides, gboolean timings)
{
	GPtrArray *warnings = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < sides->sides->len; i++)
		warn_runs(rig_sides_at(sides, i), warnings);
	for (guint i = 0; i < sides->sides->len; i++)
		if (rig_sides_at(sides, i)->class == '?')
			warn(warnings, "%s: its runs are of several placement classes",
			     rig_sides_at(sides, i)->name);
	if (!timings)
		warn(warnings,
		     "the sides ran under different accelerators: timings are not compared");
	warn_hygiene(sides, warnings);
	return warnings;
}
