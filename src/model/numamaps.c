/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * numamaps.c - parsers for the per-task files that locality is made of: numa_maps and stat.
 *
 * Text from a guest: bounded, and passed over where it is not as expected.
 */
#include "model/locality.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX G_N_ELEMENTS(((RigNumaMaps *)NULL)->anon)
#define PAGES_MAX 1e15

/* One line of numa_maps. */
typedef struct {
	gboolean huge, anon, file;
	double page_kib;
	double pages[NODES_MAX];
} Mapping;

/* "N12=345": the pages on a node. */
static void take_node(Mapping *mapping, const char *word)
{
	char *end;
	gulong node = strtoul(word + 1, &end, 10);
	double pages;

	if (*end != '=' || node >= NODES_MAX || !g_ascii_isdigit(end[1]))
		return;
	pages = (double)g_ascii_strtoull(end + 1, NULL, 10);
	if (pages < PAGES_MAX)
		mapping->pages[node] = pages;
}

static void take_word(Mapping *mapping, const char *word)
{
	if (g_str_equal(word, "huge"))
		mapping->huge = TRUE;
	else if (g_str_has_prefix(word, "anon="))
		mapping->anon = TRUE;
	else if (g_str_has_prefix(word, "file="))
		mapping->file = TRUE;
	else if (g_str_has_prefix(word, "kernelpagesize_kB="))
		mapping->page_kib = (double)g_ascii_strtoull(word + 18, NULL, 10);
	else if (*word == 'N' && g_ascii_isdigit(word[1]))
		take_node(mapping, word);
}

/* Address and policy come first; a file name in the rest has its blanks escaped by the kernel. */
static void parse_line(char *line, Mapping *mapping)
{
	char *save = NULL;
	guint place = 0;

	memset(mapping, 0, sizeof(*mapping));
	mapping->page_kib = 4;
	for (char *word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (place++ >= 2)
			take_word(mapping, word);
}

/* An anonymous hugetlb mapping also says "file=/anon_hugepage" and "anon=": so huge goes first. A
 * private mapping of a file counts pages of the page cache along with its own: left out. */
static double *sums_for(RigNumaMaps *maps, const Mapping *mapping)
{
	if (mapping->huge)
		return maps->hugetlb;
	return mapping->anon && !mapping->file ? maps->anon : NULL;
}

void rig_numa_maps_parse(const char *text, RigNumaMaps *maps)
{
	memset(maps, 0, sizeof(*maps));
	while (*text) {
		const char *end = strchr(text, '\n');
		g_autofree char *line = NULL;
		Mapping mapping;
		double *sums;

		if (!end)
			break; /* cut within a line */
		line = g_strndup(text, (gsize)(end - text));
		text = end + 1;
		parse_line(line, &mapping);
		sums = mapping.page_kib < 1e8 ? sums_for(maps, &mapping) : NULL;
		for (guint node = 0; sums && node < NODES_MAX; node++)
			sums[node] += mapping.pages[node] * mapping.page_kib;
	}
}

/* The fields behind the name, which is in parentheses and may hold anything: the third of stat is
 * [0]. */
static char **stat_fields(const char *text)
{
	const char *close = strrchr(text, ')');

	return close && close[1] == ' ' ? g_strsplit(close + 2, " ", 64) : NULL;
}

static gboolean is_digits(const char *text)
{
	gsize digits = strspn(text, "0123456789");

	return digits && digits <= 19 && (!text[digits] || text[digits] == '\n');
}

gboolean rig_task_stat_parse(const char *text, guint *cpu, double *cpu_ticks)
{
	enum { UTIME = 11, STIME = 12, PROCESSOR = 36 };
	g_auto(GStrv) fields = stat_fields(text);

	if (!fields || g_strv_length(fields) <= PROCESSOR || !is_digits(fields[UTIME]) ||
	    !is_digits(fields[STIME]) || !is_digits(fields[PROCESSOR]) ||
	    strlen(fields[PROCESSOR]) > 6)
		return FALSE;
	*cpu_ticks = (double)g_ascii_strtoull(fields[UTIME], NULL, 10) +
		     (double)g_ascii_strtoull(fields[STIME], NULL, 10);
	*cpu = (guint)g_ascii_strtoull(fields[PROCESSOR], NULL, 10);
	return TRUE;
}
