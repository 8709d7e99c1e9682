/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * results-find.c - which runs of the store a user means.
 */
#include "cli/results-find.h"

#include <string.h>

#define CANDIDATES_SHOWN 5

char *rig_results_root(const RigCli *cli)
{
	return g_build_filename(cli->paths->state, "results", NULL);
}

GPtrArray *rig_results_list(const RigCli *cli, const RigStoreQuery *query, GError **error)
{
	g_autofree char *root = rig_results_root(cli);
	GPtrArray *runs = rig_store_list(root, query, error);

	if (runs)
		g_ptr_array_set_free_func(runs, (GDestroyNotify)rig_store_entry_free);
	return runs;
}

static void several(const char *word, const GPtrArray *found, GError **error)
{
	g_autoptr(GString) ids = g_string_new(NULL);

	for (guint i = 0; i < found->len && i < CANDIDATES_SHOWN; i++)
		g_string_append_printf(ids, "%s%s", i ? ", " : "",
				       ((const RigStoreEntry *)found->pdata[i])->id);
	rig_error_set_hint(error, RIG_ERROR_USAGE, "write more of the id",
			   "run \"%s\" could be %u runs: %s%s", word, found->len, ids->str,
			   found->len > CANDIDATES_SHOWN ? ", ..." : "");
}

const RigStoreEntry *rig_results_find(const GPtrArray *runs, const char *word, GError **error)
{
	g_autoptr(GPtrArray) found = g_ptr_array_new();

	if (runs->len > 0 && g_str_equal(word, "last"))
		return runs->pdata[runs->len - 1];
	for (guint i = 0; *word && i < runs->len; i++) {
		RigStoreEntry *entry = runs->pdata[i];

		if (g_str_equal(entry->id, word))
			return entry;
		if (g_str_has_prefix(entry->id, word))
			g_ptr_array_add(found, entry);
	}
	if (found->len == 1)
		return found->pdata[0];
	if (found->len > 1)
		several(word, found, error);
	else
		rig_error_set_hint(error, RIG_ERROR_USAGE, "rig results list",
				   "there is no run \"%s\"", word);
	return NULL;
}
