/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hygiene.c - what makes a host's timings noisy, read from /proc and /sys.
 *
 * Each finding goes into every record; those with advice are shown by `rig doctor`.
 */
#include <string.h>

#include "base/file.h"
#include "base/size.h"
#include "base/text.h"
#include "model/host.h"

#define FILE_MAX (1 << 20)
#define GOVERNORS_MAX 8
#define QUIET_LOAD 0.25 /* runnable tasks a CPU above which the host counts as busy */

void rig_hygiene_free(RigHygiene *item)
{
	if (!item)
		return;
	g_free(item->key);
	g_free(item->value);
	g_free(item->advice);
	g_free(item);
}

/* Takes VALUE; ADVICE is copied, NULL when all is well. */
static void add(GPtrArray *items, const char *key, char *value, const char *advice)
{
	RigHygiene *item = g_new0(RigHygiene, 1);

	item->key = g_strdup(key);
	item->value = rig_text_safe(value, -1);
	item->advice = g_strdup(advice);
	g_free(value);
	g_ptr_array_add(items, item);
}

static char *read_line(const char *root, const char *path)
{
	g_autofree char *full = g_strconcat(root, path, NULL);
	char *text = rig_file_read(full, FILE_MAX, NULL, NULL);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text ? g_strstrip(text) : NULL;
}

/* A file of one word: ADVICE when it is BAD (or, with BAD NULL, never). */
static void add_word(GPtrArray *items, const char *root, const char *key, const char *path,
		     const char *bad, const char *advice)
{
	char *value = read_line(root, path);

	if (value)
		add(items, key, value, bad && !strcmp(value, bad) ? advice : NULL);
}

static void add_numa_balancing(GPtrArray *items, const char *root)
{
	char *value = read_line(root, "/proc/sys/kernel/numa_balancing");

	if (value)
		add(items, "host.numa_balancing", value,
		    strcmp(value, "0") ? "the host moves guest memory by itself: sysctl "
					 "kernel.numa_balancing=0"
				       : NULL);
}

/* "always [madvise] never" -> "madvise" */
static char *chosen_word(char *line)
{
	char *open = line ? strchr(line, '[') : NULL;
	char *close = open ? strchr(open, ']') : NULL;
	char *word = close ? g_strndup(open + 1, close - open - 1) : NULL;

	g_free(line);
	return word;
}

static void add_thp(GPtrArray *items, const char *root)
{
	char *value = chosen_word(read_line(root, "/sys/kernel/mm/transparent_hugepage/enabled"));

	if (value)
		add(items, "host.thp", value,
		    strcmp(value, "never") ? NULL
					   : "guest memory is in small pages: echo madvise > "
					     "/sys/kernel/mm/transparent_hugepage/enabled");
}

static gint compare_words(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *find_governors(const char *root, const char *dir)
{
	g_autofree char *full = g_strconcat(root, dir, NULL);
	g_autoptr(GDir) handle = g_dir_open(full, 0, NULL);
	g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
	const char *name;

	while (handle && (name = g_dir_read_name(handle))) {
		g_autofree char *path = g_strconcat(dir, "/", name, "/scaling_governor", NULL);
		g_autofree char *value = read_line(root, path);

		if (value && found->len < GOVERNORS_MAX &&
		    !g_ptr_array_find_with_equal_func(found, value, g_str_equal, NULL))
			g_ptr_array_add(found, g_steal_pointer(&value));
	}
	if (!found->len)
		return NULL;
	g_ptr_array_sort(found, compare_words);
	g_ptr_array_add(found, NULL);
	return g_strjoinv(",", (char **)found->pdata);
}

static void add_governor(GPtrArray *items, const char *root)
{
	char *value = find_governors(root, "/sys/devices/system/cpu/cpufreq");

	if (value)
		add(items, "host.governor", value,
		    strcmp(value, "performance")
			    ? "the clock follows the load: cpupower frequency-set -g performance"
			    : NULL);
}

static guint count_cpus(const char *root)
{
	g_autofree char *text = read_line(root, "/sys/devices/system/cpu/online");
	g_autoptr(RigCpuList) list = text ? rig_cpulist_parse(text, NULL) : NULL;

	return list ? rig_cpulist_count(list) : 0;
}

static void add_load(GPtrArray *items, const char *root)
{
	char *line = read_line(root, "/proc/loadavg");
	guint cpus = count_cpus(root);

	if (!line)
		return;
	line[strcspn(line, " ")] = '\0';
	add(items, "host.load", line,
	    g_ascii_strtod(line, NULL) > QUIET_LOAD * MAX(cpus, 1)
		    ? "other work is running on this host; timings will vary"
		    : NULL);
}

static guint64 meminfo_bytes(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? g_ascii_strtoull(at + strlen(key), NULL, 10) * 1024 : 0;
}

static void add_swap(GPtrArray *items, const char *root)
{
	g_autofree char *path = g_strconcat(root, "/proc/meminfo", NULL);
	g_autofree char *text = rig_file_read(path, FILE_MAX, NULL, NULL);
	guint64 total, free;

	if (!text)
		return;
	total = meminfo_bytes(text, "\nSwapTotal:");
	free = meminfo_bytes(text, "\nSwapFree:");
	add(items, "host.swap_used", rig_size_format(total > free ? total - free : 0),
	    total > free ? "parts of something are swapped out: swapoff -a before timing" : NULL);
}

GPtrArray *rig_host_hygiene(const char *root)
{
	GPtrArray *items = g_ptr_array_new_with_free_func((GDestroyNotify)rig_hygiene_free);

	add_word(items, root, "host.kernel", "/proc/sys/kernel/osrelease", NULL, NULL);
	add_numa_balancing(items, root);
	add_word(items, root, "host.ksm", "/sys/kernel/mm/ksm/run", "1",
		 "the host merges pages in the background: echo 2 > /sys/kernel/mm/ksm/run");
	add_thp(items, root);
	add_governor(items, root);
	add_word(items, root, "host.boost", "/sys/devices/system/cpu/cpufreq/boost", "1",
		 "the clock depends on heat and neighbours: echo 0 > "
		 "/sys/devices/system/cpu/cpufreq/boost");
	add_word(items, root, "host.no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", "0",
		 "the clock depends on heat and neighbours: echo 1 > "
		 "/sys/devices/system/cpu/intel_pstate/no_turbo");
	add_word(items, root, "host.smt", "/sys/devices/system/cpu/smt/active", NULL, NULL);
	add_word(items, root, "host.clocksource",
		 "/sys/devices/system/clocksource/clocksource0/current_clocksource", NULL, NULL);
	add_word(items, root, "host.zone_reclaim_mode", "/proc/sys/vm/zone_reclaim_mode", NULL,
		 NULL);
	add_load(items, root);
	add_swap(items, root);
	return items;
}
