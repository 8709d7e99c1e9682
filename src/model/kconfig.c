/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kconfig.c - fragments of kernel configs: read, laid over each other, compared with what came out.
 *
 * The kernel's own tools drop an option whose dependencies are not met without a word, so what was
 * asked for is compared with what is there.
 */
#include "model/kconfig.h"

#include "base/error.h"
#include "base/text.h"
#include "model/kernel.h"

#include <string.h>

#define PREFIX "CONFIG_"
#define UNSET " is not set"

void rig_kconfig_option_free(RigKconfigOption *option)
{
	if (!option)
		return;
	g_free(option->option);
	g_free(option->value);
	g_free(option->got);
	g_free(option);
}

static RigKconfigOption *option_new(const char *option, const char *value)
{
	RigKconfigOption *one = g_new0(RigKconfigOption, 1);

	one->option = g_strdup(option);
	one->value = g_strdup(value);
	return one;
}

static GPtrArray *options_new(void)
{
	return g_ptr_array_new_with_free_func((GDestroyNotify)rig_kconfig_option_free);
}

static gboolean is_option(const char *text, gsize length)
{
	gsize start = strlen(PREFIX);

	if (length <= start || strncmp(text, PREFIX, start))
		return FALSE;
	for (gsize i = start; i < length; i++)
		if (!g_ascii_isalnum(text[i]) && text[i] != '_')
			return FALSE;
	return TRUE;
}

/* "# CONFIG_X is not set"; every other comment says nothing. */
static RigKconfigOption *parse_comment(const char *line)
{
	const char *start = line + 1;
	const char *end;
	g_autofree char *name = NULL;

	while (*start == ' ')
		start++;
	end = strstr(start, UNSET);
	if (!end || end[strlen(UNSET)] || !is_option(start, end - start))
		return NULL;
	name = g_strndup(start, end - start);
	return option_new(name, "n");
}

static gboolean is_value(const char *value)
{
	gsize length = strlen(value);

	if (value[0] == '"')
		return length > 1 && value[length - 1] == '"';
	for (const char *c = value; *c; c++)
		if (!g_ascii_isalnum(*c) && *c != '-')
			return FALSE;
	return length > 0;
}

static RigKconfigOption *parse_assignment(const char *line)
{
	const char *equals = strchr(line, '=');
	g_autofree char *name = NULL;

	if (!equals || !is_option(line, equals - line) || !is_value(equals + 1))
		return NULL;
	name = g_strndup(line, equals - line);
	return option_new(name, equals + 1);
}

/* Keeps the order of the first mention and the last value. */
static void set_option(GPtrArray *options, GHashTable *index, RigKconfigOption *option)
{
	RigKconfigOption *old = g_hash_table_lookup(index, option->option);

	if (!old) {
		g_ptr_array_add(options, option);
		g_hash_table_insert(index, option->option, option);
		return;
	}
	g_free(old->value);
	old->value = g_steal_pointer(&option->value);
	rig_kconfig_option_free(option);
}

GPtrArray *rig_kconfig_parse(const char *name, const char *text, GError **error)
{
	g_autoptr(GPtrArray) options = options_new();
	g_autoptr(GHashTable) index = g_hash_table_new(g_str_hash, g_str_equal);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		const char *line = g_strstrip(lines[i]);
		RigKconfigOption *option;

		if (!*line)
			continue;
		option = *line == '#' ? parse_comment(line) : parse_assignment(line);
		if (option) {
			set_option(options, index, option);
		} else if (*line != '#') {
			g_autofree char *safe = rig_text_safe_line(line, MIN(strlen(line), 80));

			rig_error_set(error, RIG_ERROR_USAGE,
				      "%s: line %u: \"%s\" is no line of a kernel config", name,
				      i + 1, safe);
			return NULL;
		}
	}
	return g_steal_pointer(&options);
}

static GHashTable *index_of(const GPtrArray *options)
{
	GHashTable *index = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < options->len; i++) {
		RigKconfigOption *option = options->pdata[i];

		g_hash_table_insert(index, option->option, option);
	}
	return index;
}

void rig_kconfig_override(GPtrArray *asked, const GPtrArray *more)
{
	g_autoptr(GHashTable) index = index_of(asked);

	for (guint i = 0; i < more->len; i++) {
		const RigKconfigOption *option = more->pdata[i];

		set_option(asked, index, option_new(option->option, option->value));
	}
}

static void append_line(GString *text, const char *option, const char *value)
{
	if (!strcmp(value, "n"))
		g_string_append_printf(text, "# %s" UNSET "\n", option);
	else
		g_string_append_printf(text, "%s=%s\n", option, value);
}

char *rig_kconfig_text(const GPtrArray *asked)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < asked->len; i++) {
		const RigKconfigOption *option = asked->pdata[i];

		append_line(text, option->option, option->value);
	}
	return g_string_free(text, FALSE);
}

char *rig_kconfig_merge(const char *base, const GPtrArray *asked)
{
	g_autoptr(GHashTable) index = index_of(asked);
	g_auto(GStrv) lines = g_strsplit(base, "\n", -1);
	g_autofree char *rest = rig_kconfig_text(asked);
	GString *text = g_string_new(NULL);

	for (guint i = 0; lines[i] && (lines[i][0] || lines[i + 1]); i++) {
		RigKconfigOption *option =
			lines[i][0] == '#' ? parse_comment(lines[i]) : parse_assignment(lines[i]);

		if (!option || !g_hash_table_contains(index, option->option))
			g_string_append_printf(text, "%s\n", lines[i]);
		rig_kconfig_option_free(option);
	}
	g_string_append(text, rest);
	return g_string_free(text, FALSE);
}

static const char *value_in(GHashTable *index, const char *option)
{
	const RigKconfigOption *found = g_hash_table_lookup(index, option);

	return found ? found->value : "n";
}

GPtrArray *rig_kconfig_missing(const char *config, const GPtrArray *asked, GError **error)
{
	g_autoptr(GPtrArray) options = rig_kconfig_parse(".config", config, error);
	g_autoptr(GHashTable) index = options ? index_of(options) : NULL;
	GPtrArray *missing;

	if (!options)
		return NULL;
	missing = options_new();
	for (guint i = 0; i < asked->len; i++) {
		const RigKconfigOption *want = asked->pdata[i];
		const char *got = value_in(index, want->option);
		RigKconfigOption *one;

		if (!strcmp(got, want->value) || (*want->value == 'm' && *got == 'y'))
			continue;
		one = option_new(want->option, want->value);
		one->got = g_strdup(got);
		g_ptr_array_add(missing, one);
	}
	return missing;
}

char *rig_kconfig_need_option(const char *need)
{
	return g_strndup(need, strcspn(need, "="));
}

gboolean rig_kconfig_meets(const char *config, const char *need)
{
	g_autofree char *option = rig_kconfig_need_option(need);
	g_autofree char *value = rig_kconfig_value(config, option);
	const char *equals = strchr(need, '=');
	g_auto(GStrv) wanted = g_strsplit(equals ? equals + 1 : "y", "|", -1);

	return g_strv_contains((const char *const *)wanted, value);
}

static int compare_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_difference(GPtrArray *lines, const char *option, const char *from, const char *to)
{
	if (strcmp(from, to))
		g_ptr_array_add(lines, g_strdup_printf("%s: %s -> %s", option, from, to));
}

GPtrArray *rig_kconfig_diff(const char *a, const char *b, GError **error)
{
	g_autoptr(GPtrArray) first = rig_kconfig_parse("first .config", a, error);
	g_autoptr(GPtrArray) second = first ? rig_kconfig_parse("second .config", b, error) : NULL;
	g_autoptr(GHashTable) in_first = second ? index_of(first) : NULL;
	g_autoptr(GHashTable) in_second = second ? index_of(second) : NULL;
	GPtrArray *lines;

	if (!second)
		return NULL;
	lines = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < first->len; i++) {
		const RigKconfigOption *option = first->pdata[i];

		add_difference(lines, option->option, option->value,
			       value_in(in_second, option->option));
	}
	for (guint i = 0; i < second->len; i++) {
		const RigKconfigOption *option = second->pdata[i];

		if (!g_hash_table_contains(in_first, option->option))
			add_difference(lines, option->option, "n", option->value);
	}
	g_ptr_array_sort(lines, compare_text);
	return lines;
}
