/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rawfix.h - runs for tests, made of messages as an agent would send them, and of the text of real
 * kernels.
 */
#pragma once

#include "model/raw.h"

#include "expect.h"

/* Feed one line of the protocol. */
static inline gboolean rawfix_try(RigRawRun *run, const char *line, GError **error)
{
	g_autoptr(GError) reason = NULL;
	g_autoptr(RigJson) message = rig_json_parse("agent", line, -1, &reason);

	g_assert_no_error(reason);
	return rig_raw_run_feed(run, message, error);
}

static inline void rawfix_feed(RigRawRun *run, const char *line)
{
	g_autoptr(GError) error = NULL;

	if (!rawfix_try(run, line, &error))
		g_error("%s: %s", line, error->message);
}

static inline void rawfix_snap(RigRawRun *run, const char *kind, const char *phase, gint64 t_ns)
{
	g_autofree char *line =
		g_strdup_printf("{\"type\":\"snap\",\"id\":5,\"snap\":%u,\"kind\":\"%s\","
				"\"phase\":\"%s\",\"t_ns\":%" G_GINT64_FORMAT "}",
				run->snaps->len, kind, phase, t_ns);

	rawfix_feed(run, line);
}

/* A file of the current snapshot in as many chunks as it needs. TASK -1: none. */
static inline void rawfix_file(RigRawRun *run, const char *path, int task, const char *text)
{
	g_autofree char *owner = task < 0 ? g_strdup("") : g_strdup_printf("\"task\":%d,", task);
	gsize left = strlen(text);

	do {
		gsize part = MIN(left, 30000);
		g_autofree char *data = g_base64_encode((const guchar *)text, part);
		g_autofree char *line = g_strdup_printf(
			"{\"type\":\"data\",\"id\":5,\"snap\":%u,%s\"path\":\"%s\",\"data\":\"%s\","
			"\"more\":%s}",
			run->snaps->len - 1, owner, path, data, left > part ? "true" : "false");

		rawfix_feed(run, line);
		text += part;
		left -= part;
	} while (left);
}

static inline void rawfix_event(RigRawRun *run, const char *control)
{
	g_autofree char *data = g_base64_encode((const guchar *)control, strlen(control));
	g_autofree char *line =
		g_strdup_printf("{\"type\":\"event\",\"id\":5,\"t_ns\":1,\"data\":\"%s\"}", data);

	rawfix_feed(run, line);
}

static inline void rawfix_stream(RigRawRun *run, const char *stream, const char *text)
{
	g_autofree char *data = g_base64_encode((const guchar *)text, strlen(text));
	g_autofree char *line = g_strdup_printf(
		"{\"type\":\"data\",\"id\":5,\"stream\":\"%s\",\"data\":\"%s\"}", stream, data);

	rawfix_feed(run, line);
}

/* END: "\"code\":0" and the like. */
static inline void rawfix_done(RigRawRun *run, const char *end)
{
	g_autofree char *line = g_strdup_printf(
		"{\"type\":\"done\",\"id\":5,%s,\"start_ns\":10,\"end_ns\":20,\"snaps\":%u,"
		"\"events\":%u,\"agent_cpu_ns\":7,\"full\":false}",
		end, run->snaps->len, run->events->len);

	rawfix_feed(run, line);
}

/* Every file below tests/data/counters/KERNEL/MOMENT into the current snapshot. */
static inline void rawfix_kernel_dir(RigRawRun *run, const char *base, const char *below, int task)
{
	g_autofree char *path = g_build_filename(base, below, NULL);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	g_assert_nonnull(dir);
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *inner = g_strdup_printf("%s/%s", below, name);
		g_autofree char *full = g_build_filename(base, inner, NULL);
		g_autofree char *text = NULL;

		if (g_str_has_prefix(name, "task-")) {
			rawfix_kernel_dir(run, base, inner, atoi(name + 5));
		} else if (g_file_test(full, G_FILE_TEST_IS_DIR)) {
			rawfix_kernel_dir(run, base, inner, task);
		} else {
			g_assert_true(g_file_get_contents(full, &text, NULL, NULL));
			rawfix_file(run, task < 0 ? inner : name, task, text);
		}
	}
}

static inline void rawfix_kernel(RigRawRun *run, const char *kernel, const char *moment)
{
	g_autofree char *base =
		g_test_build_filename(G_TEST_DIST, "data", "counters", kernel, moment, NULL);

	rawfix_kernel_dir(run, base, "", -1);
}

static inline const RigRawSnap *rawfix_at(const RigRawRun *run, guint i)
{
	return g_ptr_array_index(run->snaps, i);
}
