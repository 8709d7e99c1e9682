/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-gc.c - rig gc: what the cache holds, and how to free it.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "model/store.h"
#include "vm/bootset.h"

#define TEMPORARY "temporary"

typedef struct {
	char *older_than;
	gboolean all, check;
} Options;

#define OPT(field) G_STRUCT_OFFSET(Options, field)

static const RigOption gc_options[] = {
	{"older-than", 0, RIG_OPTION_STRING, OPT(older_than), "TIME",
	 "free what was not used for so long: 30d, 12h, 2w"},
	{"all", 'a', RIG_OPTION_FLAG, OPT(all), NULL, "free all that no guest uses"},
	{"check", 0, RIG_OPTION_FLAG, OPT(check), NULL, "compare digests, free what is damaged"},
	{NULL},
};

/* "30d" in seconds; 0 with ERROR. */
static gint64 parse_age(const char *text, GError **error)
{
	static const char units[] = "smhdw";
	static const gint64 seconds[] = {1, 60, 3600, 86400, 7 * 86400};
	char *end;
	guint64 n = g_ascii_strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;

	if (end != text && g_ascii_isdigit(text[0]) && unit && !end[1] && n && n < 100000)
		return (gint64)n * seconds[unit - units];
	rig_cli_usage(&rig_cmd_gc, error, "--older-than \"%s\" is no time such as 30d or 12h",
		      text);
	return 0;
}

typedef struct {
	RigCli *cli;
	const Options *options;
	gint64 older_than; /* seconds, 0: not asked for */
	gint64 now;
	guint64 freed;
	guint removed;
} Sweep;

static gboolean is_damaged(const Sweep *sweep, const RigCacheEntry *entry)
{
	g_autoptr(GError) why = NULL;

	if (!sweep->options->check || rig_bootset_cache_verify(entry, &why))
		return FALSE;
	rig_log_warn(sweep->cli->log, "%s", why->message);
	return TRUE;
}

static gboolean is_chosen(const Sweep *sweep, const RigCacheEntry *entry)
{
	if (entry->in_use)
		return FALSE;
	/* Nobody can ever use what a killed rig left. */
	if (!strcmp(entry->kind, TEMPORARY) || sweep->options->all)
		return TRUE;
	if (sweep->older_than && sweep->now - entry->last_used > sweep->older_than)
		return TRUE;
	return is_damaged(sweep, entry);
}

static char *format_bytes(guint64 bytes)
{
	return g_format_size_full(bytes, G_FORMAT_SIZE_IEC_UNITS);
}

static void add_json(RigJsonWriter *writer, const RigCacheEntry *entry, gboolean removed)
{
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "kind", entry->kind);
	rig_json_add_string(writer, "key", entry->key);
	rig_json_add_string(writer, "path", entry->path);
	rig_json_add_int(writer, "bytes", entry->bytes);
	rig_json_add_int(writer, "last_used", entry->last_used);
	rig_json_add_bool(writer, "in_use", entry->in_use);
	rig_json_add_bool(writer, "removed", removed);
	rig_json_close_object(writer);
}

static void add_row(RigListing *listing, const RigCacheEntry *entry, const char *what)
{
	g_autofree char *key = g_strndup(entry->key, 12);
	g_autofree char *size = format_bytes(entry->bytes);
	g_autofree char *used = rig_text_time(entry->last_used);
	const char *row[] = {entry->kind, key, size, used, what, entry->text, NULL};

	rig_listing_add(listing, row);
}

static const char *state_of(const RigCli *cli, const RigCacheEntry *entry, gboolean chosen)
{
	if (entry->in_use)
		return "in use";
	if (!chosen)
		return "kept";
	return cli->dry_run ? "would go" : "freed";
}

static gboolean sweep_one(Sweep *sweep, const RigCacheEntry *entry, gboolean chosen, GError **error)
{
	if (!chosen)
		return TRUE;
	if (!sweep->cli->dry_run && !rig_bootset_cache_remove(sweep->cli->paths, entry, error))
		return FALSE;
	sweep->freed += entry->bytes;
	sweep->removed++;
	return TRUE;
}

static gboolean sweep_all(Sweep *sweep, const GPtrArray *entries, RigListing *listing,
			  RigJsonWriter *writer, GError **error)
{
	for (guint i = 0; i < entries->len; i++) {
		const RigCacheEntry *entry = entries->pdata[i];
		gboolean chosen = is_chosen(sweep, entry);

		if (!sweep_one(sweep, entry, chosen, error))
			return FALSE;
		if (listing)
			add_row(listing, entry, state_of(sweep->cli, entry, chosen));
		else
			add_json(writer, entry, chosen && !sweep->cli->dry_run);
	}
	return TRUE;
}

static gboolean print_json(Sweep *sweep, const GPtrArray *entries, GError **error)
{
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_open_array(writer, "entries");
	if (!sweep_all(sweep, entries, NULL, writer, error)) {
		rig_json_writer_free(writer);
		return FALSE;
	}
	rig_json_close_array(writer);
	rig_json_add_int(writer, "freed", sweep->freed);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
	return TRUE;
}

static gboolean print_table(Sweep *sweep, const GPtrArray *entries, GError **error)
{
	static const char *const heads[] = {"KIND",  "KEY",  "SIZE", "LAST USED",
					    "STATE", "WHAT", NULL};
	g_autofree char *freed = NULL;
	RigListing *listing = rig_listing_new(heads, TRUE);
	gboolean good = sweep_all(sweep, entries, listing, NULL, error);

	rig_listing_print(listing);
	freed = format_bytes(sweep->freed);
	if (sweep->removed)
		rig_log_info(sweep->cli->log, "%s %u, %s",
			     sweep->cli->dry_run ? "would free" : "freed", sweep->removed, freed);
	else if (good && entries->len)
		rig_log_info(sweep->cli->log,
			     "nothing freed; --older-than 30d or --all frees what no guest uses");
	return good;
}

/* What writers of results left is theirs to judge, under their lock. */
static gboolean clean_results(const RigCli *cli, GError **error)
{
	g_autofree char *results = g_build_filename(cli->paths->state, "results", NULL);

	return cli->dry_run || rig_store_clean(results, error);
}

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	Sweep sweep = {.cli = cli, .options = options, .now = g_get_real_time() / G_USEC_PER_SEC};
	g_autoptr(GPtrArray) entries = NULL;

	if (argc)
		return rig_cli_usage(&rig_cmd_gc, error, "takes options only, not \"%s\"", argv[0]);
	if (sweep.options->older_than) {
		sweep.older_than = parse_age(sweep.options->older_than, error);
		if (!sweep.older_than)
			return -1;
	}
	entries = clean_results(cli, error) ? rig_bootset_cache_list(cli->paths, error) : NULL;
	if (!entries)
		return -1;
	if (!(cli->json ? print_json : print_table)(&sweep, entries, error))
		return -1;
	return 0;
}

const RigCommand rig_cmd_gc = {
	.name = "gc",
	.args = "",
	.summary = "show what the cache holds, and free it",
	.description =
		"Without options everything is shown and only what a killed rig left is freed.\n"
		"All of the cache can be made again; kernels and results are not in it. What a\n"
		"guest uses is never freed. Consoles and memory dumps of guests that broke, where\n"
		"no record has them, are freed as well.",
	.state_size = sizeof(Options),
	.options = gc_options,
	.run = run,
};
