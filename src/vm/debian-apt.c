/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * debian-apt.c - asks apt itself for its sources and options, so that every way to write them down
 * is understood.
 */
#include "vm/debian-apt.h"

#include "base/error.h"
#include "base/process.h"

#include <string.h>

#define APT_TIMEOUT_MS 60000
/* The only architecture that rig's guests have. */
#define ARCHITECTURE "amd64"

/* What ARGV writes to stdout. g_free. */
static char *output_of(const char *const *argv, GCancellable *cancellable, GError **error)
{
	const RigProcess process = {.argv = argv, .timeout_ms = APT_TIMEOUT_MS};
	g_auto(RigProcessResult) result = {0};

	if (!rig_process_check(&process, &result, RIG_ERROR_HOST, cancellable, error))
		return NULL;
	return g_steal_pointer(&result.out);
}

/* RELEASE is the suite or one of those that mend it. */
static gboolean belongs(const char *release, const char *suite)
{
	static const char *const endings[] = {"", "-updates", "-security"};
	gsize length = strlen(suite);

	if (strncmp(release, suite, length) != 0)
		return FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(endings); i++)
		if (!strcmp(release + length, endings[i]))
			return TRUE;
	return FALSE;
}

char *rig_debian_apt_sources(const char *suite, GCancellable *cancellable, GError **error)
{
	const char *argv[] = {"apt-get",
			      "indextargets",
			      "--format",
			      "$(RELEASE) $(SITE) $(COMPONENT)",
			      "Created-By: Packages",
			      "Architecture: " ARCHITECTURE,
			      NULL};
	g_autofree char *text = output_of(argv, cancellable, error);
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;
	g_autoptr(GString) sources = g_string_new(NULL);
	gboolean found = FALSE;

	if (!text)
		return NULL;
	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) words = g_strsplit(lines[i], " ", 3);

		if (g_strv_length(words) != 3 || !belongs(words[0], suite))
			continue;
		found |= !strcmp(words[0], suite);
		g_string_append_printf(sources, "deb %s %s %s\n", words[1], words[0], words[2]);
	}
	if (found)
		return g_string_free(g_steal_pointer(&sources), FALSE);
	rig_error_set_hint(
		error, RIG_ERROR_HOST,
		"add one to /etc/apt/sources.list.d; \"apt-get indextargets\" lists them",
		"apt on this host has no source for the suite %s", suite);
	return NULL;
}

char *rig_debian_apt_options(GCancellable *cancellable, GError **error)
{
	static const char *const wanted[] = {
		"Acquire::http::", "Acquire::https::", "Acquire::Retries",
		"Acquire::Check-Valid-Until", "Acquire::Check-Date"};
	const char *argv[] = {"apt-config",   "dump",	 "--no-empty", "--format",
			      "%F \"%v\";\n", "Acquire", NULL};
	g_autofree char *text = output_of(argv, cancellable, error);
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;
	/* Nobody reads translated descriptions in a guest. */
	GString *options;

	if (!text)
		return NULL;
	options = g_string_new("Acquire::Languages \"none\";\n");
	for (guint i = 0; lines[i]; i++)
		for (guint j = 0; j < G_N_ELEMENTS(wanted); j++)
			if (g_str_has_prefix(lines[i], wanted[j]))
				g_string_append_printf(options, "%s\n", lines[i]);
	return g_string_free(options, FALSE);
}
