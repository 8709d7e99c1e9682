/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counters.c - parsers for the text of /proc and /sys files that the agent ships.
 *
 * A guest's text is not trusted: a line that is not as expected is passed over, a value that is no
 * plain decimal number is none, names are made of few characters, and there is a limit to their
 * number.
 */
#include "model/counters.h"

#include <math.h>
#include <string.h>

#define NAME_LENGTH_MAX 64
#define FIGURES_MAX 100000
#define NODE_PREFIX "/sys/devices/system/node/node"

/* The rows of mpstat and the columns of /proc/stat's cpu line, in the kernel's order. */
static const char *const cpu_columns[] = {
	"user", "nice",	   "system", "idle",  "iowait",
	"irq",	"softirq", "steal",  "guest", "guest_nice",
};

/* One word at *TEXT up to MAX bytes; *TEXT moves behind it. FALSE at the line's end. */
static gboolean next_word(const char **text, char *word, gsize max)
{
	gsize length;

	*text += strspn(*text, " \t");
	length = strcspn(*text, " \t\n");
	if (!length)
		return FALSE;
	g_strlcpy(word, *text, MIN(length + 1, max));
	*text += length;
	return length < max;
}

static const char *next_line(const char *text)
{
	const char *end = strchr(text, '\n');

	return end ? end + 1 : text + strlen(text);
}

/* Digits only: strtod() would take "nan", "0x1" and the like. */
static gboolean parse_number(const char *word, double *value)
{
	if (!*word || strlen(word) > 20 || word[strspn(word, "0123456789")])
		return FALSE;
	*value = (double)g_ascii_strtoull(word, NULL, 10);
	return TRUE;
}

static gboolean is_name(const char *name)
{
	for (; *name; name++)
		if (!g_ascii_isalnum(*name) && !strchr("_()-", *name))
			return FALSE;
	return TRUE;
}

static void add_figure(RigMetrics *out, const char *prefix, const char *name, double value)
{
	char full[NAME_LENGTH_MAX * 2];

	if (!is_name(name) || rig_metrics_count(out) >= FIGURES_MAX)
		return;
	g_snprintf(full, sizeof(full), "%s%s", prefix, name);
	rig_metrics_set(out, full, value);
}

/* "name value" lines: vmstat, numastat. */
static void parse_pairs(const char *text, const char *prefix, RigMetrics *out)
{
	for (; *text; text = next_line(text)) {
		const char *at = text;
		char name[NAME_LENGTH_MAX], number[24];
		double value;

		/* The text of a cut file ends within a line: half a number is no number. */
		if (!strchr(text, '\n'))
			break;
		if (next_word(&at, name, sizeof(name)) && next_word(&at, number, sizeof(number)) &&
		    parse_number(number, &value))
			add_figure(out, prefix, name, value);
	}
}

/* "Name:   value kB" lines, those of a node with "Node 0 " before them. */
static void parse_meminfo(const char *text, const char *prefix, RigMetrics *out)
{
	for (; *text && strchr(text, '\n'); text = next_line(text)) {
		const char *at = text;
		char name[NAME_LENGTH_MAX], number[24];
		gsize length;
		double value;

		if (!next_word(&at, name, sizeof(name)))
			continue;
		if (g_str_equal(name, "Node") && (!next_word(&at, number, sizeof(number)) ||
						  !next_word(&at, name, sizeof(name))))
			continue;
		length = strlen(name);
		if (length < 2 || name[length - 1] != ':' ||
		    !next_word(&at, number, sizeof(number)) || !parse_number(number, &value))
			continue;
		name[length - 1] = '\0';
		add_figure(out, prefix, name, value);
	}
}

/* The first line of /proc/stat: "cpu  user nice system ...", in ticks since boot. */
static void parse_stat(const char *text, RigMetrics *out)
{
	char word[24];
	double value;

	if (!next_word(&text, word, sizeof(word)) || !g_str_equal(word, "cpu"))
		return;
	for (guint i = 0; i < G_N_ELEMENTS(cpu_columns); i++) {
		if (!next_word(&text, word, sizeof(word)) || !parse_number(word, &value))
			return;
		add_figure(out, "cpu-time.all.", cpu_columns[i], value);
	}
}

static void parse_node_file(const RigRawFile *file, RigMetrics *out)
{
	const char *number = file->path + strlen(NODE_PREFIX);
	gsize digits = strspn(number, "0123456789");
	g_autofree char *node = g_strndup(number, digits);
	g_autofree char *prefix = NULL;
	const char *name = number + digits;

	if (!digits || digits > 4)
		return;
	if (g_str_equal(name, "/vmstat")) {
		prefix = g_strdup_printf("numa-vmstat.node%s.", node);
		parse_pairs(file->text, prefix, out);
	} else if (g_str_equal(name, "/numastat")) {
		prefix = g_strdup_printf("numa-numastat.node%s.", node);
		parse_pairs(file->text, prefix, out);
	} else if (g_str_equal(name, "/meminfo")) {
		prefix = g_strdup_printf("numa-meminfo.node%s.", node);
		parse_meminfo(file->text, prefix, out);
	}
}

RigMetrics *rig_counters_parse(const GPtrArray *files)
{
	RigMetrics *out = rig_metrics_new();

	for (guint i = 0; i < files->len; i++) {
		const RigRawFile *file = g_ptr_array_index(files, i);

		if (file->task >= 0)
			continue;
		if (g_str_equal(file->path, "/proc/vmstat"))
			parse_pairs(file->text, "proc-vmstat.", out);
		else if (g_str_equal(file->path, "/proc/meminfo"))
			parse_meminfo(file->text, "meminfo.", out);
		else if (g_str_equal(file->path, "/proc/stat"))
			parse_stat(file->text, out);
		else if (g_str_has_prefix(file->path, NODE_PREFIX))
			parse_node_file(file, out);
	}
	return out;
}

void rig_counters_delta(const RigMetrics *first, const RigMetrics *last, RigMetrics *out,
			GPtrArray *backwards)
{
	for (guint i = 0; i < rig_metrics_count(last); i++) {
		const char *name = rig_metrics_name(last, i);
		double before, after = rig_metrics_value(last, i);

		if (rig_counter_kind(name, NULL) != RIG_COUNTER_EVENTS ||
		    !rig_metrics_get(first, name, &before))
			continue;
		if (after >= before)
			rig_metrics_set(out, name, after - before);
		else if (backwards)
			g_ptr_array_add(backwards, g_strdup(name));
	}
}

gboolean rig_counter_is_cpu_time(const char *name)
{
	return g_str_has_prefix(name, "cpu-time.");
}

static double ticks(const RigMetrics *delta, const char *column)
{
	g_autofree char *name = g_strdup_printf("cpu-time.all.%s", column);
	double value = 0;

	rig_metrics_get(delta, name, &value);
	return value;
}

void rig_counters_mpstat(const RigMetrics *delta, RigMetrics *out)
{
	double guest = ticks(delta, "guest"), guest_nice = ticks(delta, "guest_nice");
	/* The kernel counts a guest's time in user and nice as well; mpstat shows it once. */
	const struct {
		const char *name;
		double value;
	} rows[] = {
		{"mpstat.cpu.all.usr%", MAX(ticks(delta, "user") - guest, 0)},
		{"mpstat.cpu.all.nice%", MAX(ticks(delta, "nice") - guest_nice, 0)},
		{"mpstat.cpu.all.sys%", ticks(delta, "system")},
		{"mpstat.cpu.all.iowait%", ticks(delta, "iowait")},
		{"mpstat.cpu.all.irq%", ticks(delta, "irq")},
		{"mpstat.cpu.all.soft%", ticks(delta, "softirq")},
		{"mpstat.cpu.all.steal%", ticks(delta, "steal")},
		{"mpstat.cpu.all.guest%", guest},
		{"mpstat.cpu.all.gnice%", guest_nice},
		{"mpstat.cpu.all.idle%", ticks(delta, "idle")},
	};
	double total = 0;

	for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
		total += rows[i].value;
	for (guint i = 0; total > 0 && i < G_N_ELEMENTS(rows); i++)
		rig_metrics_set(out, rows[i].name, 100 * rows[i].value / total);
}
