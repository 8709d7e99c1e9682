/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * help.c - help texts made from the table of commands.
 */
#include "cli/help.h"

#include <string.h>

#include "cli/options.h"

#define OPTION_COLUMN 28

const RigCommand *rig_help_find(const char *name)
{
	for (const RigCommand *const *c = rig_commands; *c; c++)
		if (g_str_equal((*c)->name, name))
			return *c;
	return NULL;
}

/* Letters in common at both ends: enough to tell "topolgy" from the rest of so few names. */
static gsize likeness(const char *a, const char *b)
{
	gsize la = strlen(a), lb = strlen(b), front = 0, back = 0;

	while (front < MIN(la, lb) && a[front] == b[front])
		front++;
	while (back < MIN(la, lb) - front && a[la - 1 - back] == b[lb - 1 - back])
		back++;
	return 2 * (front + back) * 100 / (la + lb);
}

const RigCommand *rig_help_nearest(const char *name)
{
	const RigCommand *best = NULL;
	gsize best_likeness = 59;

	for (const RigCommand *const *c = rig_commands; *c; c++) {
		gsize like = likeness(name, (*c)->name);
		if (like > best_likeness) {
			best = *c;
			best_likeness = like;
		}
	}
	return best;
}

char *rig_help_overview(void)
{
	GString *text =
		g_string_new("usage: rig COMMAND [OPTION]... [WORD]...\n\n"
			     "Boot kernels on a virtual NUMA machine, run the workload of a "
			     "regression report in\n"
			     "each, and compare throughput, numa_* counters and locality.\n\n");

	for (const RigCommand *const *c = rig_commands; *c; c++)
		g_string_append_printf(text, "  %-12s %s\n", (*c)->name, (*c)->summary);
	g_string_append(text,
			"\nStart with: rig doctor, rig up 2sp-icl, rig run anon-cow-rand-hugetlb\n"
			"Help for one command: rig help COMMAND, or man rig-COMMAND\n");
	return g_string_free(text, FALSE);
}

static void append_options(GString *text, const char *title, const RigOption *options)
{
	if (!options || !options->name)
		return;
	g_string_append_printf(text, "\n%s\n", title);
	for (const RigOption *o = options; o->name; o++) {
		g_autoptr(GString) left = g_string_new("  ");
		if (o->short_name)
			g_string_append_printf(left, "-%c, ", o->short_name);
		g_string_append_printf(left, "--%s", o->name);
		if (o->arg)
			g_string_append_printf(left, " %s", o->arg);
		if (left->len >= OPTION_COLUMN)
			g_string_append_printf(text, "%s\n%*s%s\n", left->str, OPTION_COLUMN, "",
					       o->help);
		else
			g_string_append_printf(text, "%-*s%s\n", OPTION_COLUMN, left->str, o->help);
	}
}

char *rig_help_command(const RigCommand *command)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "usage: rig %s [OPTION]...%s%s\n\n%s\n", command->name,
			       *command->args ? " " : "", command->args, command->description);
	append_options(text, "options:", command->options);
	append_options(text, "options of every command:", rig_global_options);
	return g_string_free(text, FALSE);
}

static void options_json(RigJsonWriter *writer, const char *key, const RigOption *options)
{
	rig_json_open_array(writer, key);
	for (const RigOption *o = options; o && o->name; o++) {
		char short_name[2] = {o->short_name, '\0'};
		rig_json_open_object(writer, NULL);
		rig_json_add_string(writer, "name", o->name);
		if (o->short_name)
			rig_json_add_string(writer, "short", short_name);
		rig_json_add_string(writer, "arg", o->arg);
		rig_json_add_string(writer, "help", o->help);
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
}

void rig_help_json(RigJsonWriter *writer)
{
	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "rig", RIG_VERSION);
	options_json(writer, "options", rig_global_options);
	rig_json_open_array(writer, "commands");
	for (const RigCommand *const *c = rig_commands; *c; c++) {
		rig_json_open_object(writer, NULL);
		rig_json_add_string(writer, "name", (*c)->name);
		rig_json_add_string(writer, "args", (*c)->args);
		rig_json_add_string(writer, "summary", (*c)->summary);
		options_json(writer, "options", (*c)->options);
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
	rig_json_close_object(writer);
}
