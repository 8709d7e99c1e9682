/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cpulist.c - CPU sets as a bitmap: 1 KiB holds the largest, and no order has to be kept.
 */
#include "base/cpulist.h"

#include "base/error.h"

#include <string.h>

#define WORDS (RIG_CPULIST_MAX / 64)

struct RigCpuList {
	guint64 bits[WORDS];
};

RigCpuList *rig_cpulist_new(void)
{
	return g_new0(RigCpuList, 1);
}

RigCpuList *rig_cpulist_copy(const RigCpuList *list)
{
	return g_memdup2(list, sizeof(*list));
}

void rig_cpulist_free(RigCpuList *list)
{
	g_free(list);
}

void rig_cpulist_add(RigCpuList *list, guint cpu)
{
	g_return_if_fail(cpu < RIG_CPULIST_MAX);
	list->bits[cpu / 64] |= G_GUINT64_CONSTANT(1) << cpu % 64;
}

void rig_cpulist_add_range(RigCpuList *list, guint first, guint last)
{
	g_return_if_fail(last < RIG_CPULIST_MAX);
	for (guint cpu = first; cpu <= last; cpu++)
		rig_cpulist_add(list, cpu);
}

/* One number at *TEXT, below RIG_CPULIST_MAX; moves *TEXT behind it. */
static gboolean parse_number(const char **text, guint *number)
{
	guint value = 0;

	if (!g_ascii_isdigit(**text))
		return FALSE;
	for (; g_ascii_isdigit(**text); (*text)++) {
		value = value * 10 + (guint)(**text - '0');
		if (value >= RIG_CPULIST_MAX)
			return FALSE;
	}
	*number = value;
	return TRUE;
}

static gboolean parse_part(const char *part, RigCpuList *list)
{
	guint first, last;

	if (!parse_number(&part, &first))
		return FALSE;
	last = first;
	if (*part == '-') {
		part++;
		if (!parse_number(&part, &last))
			return FALSE;
	}
	if (*part || last < first)
		return FALSE;
	rig_cpulist_add_range(list, first, last);
	return TRUE;
}

RigCpuList *rig_cpulist_parse(const char *text, GError **error)
{
	g_autoptr(RigCpuList) list = rig_cpulist_new();
	g_autofree char *line = g_strdup(text);
	g_auto(GStrv) parts = NULL;

	if (g_str_has_suffix(line, "\n"))
		line[strlen(line) - 1] = '\0';
	parts = g_strsplit(line, ",", -1);
	for (guint i = 0; parts[i]; i++) {
		if (parse_part(parts[i], list))
			continue;
		rig_error_set(error, RIG_ERROR_USAGE,
			      "CPU list \"%s\": bad part \"%s\" (wanted like \"0-3,8\", below %d)",
			      line, parts[i], RIG_CPULIST_MAX);
		return NULL;
	}
	return g_steal_pointer(&list);
}

guint rig_cpulist_count(const RigCpuList *list)
{
	guint count = 0;

	for (guint i = 0; i < WORDS; i++)
		count += (guint)__builtin_popcountll(list->bits[i]);
	return count;
}

guint rig_cpulist_at(const RigCpuList *list, guint i)
{
	for (guint word = 0; word < WORDS; word++) {
		guint64 bits = list->bits[word];
		guint here = (guint)__builtin_popcountll(bits);

		if (i >= here) {
			i -= here;
			continue;
		}
		for (; i; i--)
			bits &= bits - 1;
		return word * 64 + (guint)__builtin_ctzll(bits);
	}
	g_return_val_if_reached(0);
}

gboolean rig_cpulist_contains(const RigCpuList *list, guint cpu)
{
	return cpu < RIG_CPULIST_MAX && list->bits[cpu / 64] >> cpu % 64 & 1;
}

gboolean rig_cpulist_equal(const RigCpuList *a, const RigCpuList *b)
{
	return memcmp(a->bits, b->bits, sizeof(a->bits)) == 0;
}

gboolean rig_cpulist_intersects(const RigCpuList *a, const RigCpuList *b)
{
	for (guint i = 0; i < WORDS; i++) {
		if (a->bits[i] & b->bits[i])
			return TRUE;
	}
	return FALSE;
}

char *rig_cpulist_format(const RigCpuList *list)
{
	GString *text = g_string_new(NULL);

	for (guint cpu = 0; cpu < RIG_CPULIST_MAX; cpu++) {
		guint first = cpu;

		if (!rig_cpulist_contains(list, cpu))
			continue;
		while (rig_cpulist_contains(list, cpu + 1))
			cpu++;
		g_string_append_printf(text, "%s%u", text->len ? "," : "", first);
		if (cpu > first)
			g_string_append_printf(text, "-%u", cpu);
	}
	return g_string_free(text, FALSE);
}
