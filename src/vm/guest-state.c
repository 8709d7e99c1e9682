/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-state.c - what a guest's folder says of it: guest.json.
 */
#include "vm/guest-state.h"

#include "base/file.h"
#include "vm/qemuproc.h"

#define VERSION 1
#define TEXT_MAX (1024 * 1024)

RigGuestState *rig_guest_state_new(void)
{
	RigGuestState *state = g_new0(RigGuestState, 1);

	state->class = 'C';
	state->manifest = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return state;
}

void rig_guest_state_free(RigGuestState *state)
{
	if (!state)
		return;
	g_free(state->name);
	g_free(state->dir);
	g_free(state->uri);
	g_free(state->uuid);
	g_free(state->topology);
	g_free(state->fit);
	g_free(state->kernel);
	g_free(state->image);
	g_free(state->accel);
	g_hash_table_unref(state->manifest);
	rig_readback_clear(&state->readback);
	g_free(state);
}

char *rig_guest_state_root(const RigPaths *paths)
{
	return g_build_filename(paths->state, "guests", NULL);
}

char *rig_guest_state_dir(const RigPaths *paths, const char *name)
{
	return g_build_filename(paths->state, "guests", name, NULL);
}

gboolean rig_guest_state_is_there(const char *dir)
{
	return g_file_test(dir, G_FILE_TEST_IS_DIR) && !g_file_test(dir, G_FILE_TEST_IS_SYMLINK);
}

char *rig_guest_state_file(const RigGuestState *state, const char *name)
{
	return g_build_filename(state->dir, name, NULL);
}

void rig_guest_state_note(RigGuestState *state, const char *key, const char *value)
{
	if (value)
		g_hash_table_replace(state->manifest, g_strdup(key), g_strdup(value));
}

gboolean rig_guest_state_alive(const RigGuestState *state)
{
	return rig_qemuproc_alive("/proc", (pid_t)state->pid, state->uuid);
}

/* Writing. */

static void write_manifest(const RigGuestState *state, RigJsonWriter *writer)
{
	g_autoptr(GList) keys = g_hash_table_get_keys(state->manifest);

	keys = g_list_sort(keys, (GCompareFunc)g_strcmp0);
	rig_json_open_object(writer, "manifest");
	for (GList *at = keys; at; at = at->next)
		rig_json_add_string(writer, at->data,
				    g_hash_table_lookup(state->manifest, at->data));
	rig_json_close_object(writer);
}

static void write_readback(const RigReadback *readback, RigJsonWriter *writer)
{
	rig_json_open_object(writer, "readback");
	rig_json_add_int(writer, "mem_total", (gint64)readback->mem_total);
	rig_json_add_int(writer, "cpus", readback->cpus);
	rig_json_add_int(writer, "nodes", readback->nodes);
	rig_json_add_string(writer, "release", readback->release);
	rig_json_add_string(writer, "cmdline", readback->cmdline);
	rig_json_add_string(writer, "numa_balancing", readback->numa_balancing);
	rig_json_close_object(writer);
}

gboolean rig_guest_state_save(const RigGuestState *state, GError **error)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autofree char *path = rig_guest_state_file(state, "guest.json");
	g_autofree char *text = NULL;
	char class[] = {state->class, '\0'};

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", VERSION);
	rig_json_add_string(writer, "name", state->name);
	rig_json_add_string(writer, "uri", state->uri);
	rig_json_add_string(writer, "uuid", state->uuid);
	rig_json_add_int(writer, "domain_id", state->domain_id);
	rig_json_add_int(writer, "pid", state->pid);
	rig_json_add_int(writer, "owner", state->owner);
	rig_json_add_int(writer, "started", state->started);
	rig_json_add_bool(writer, "ephemeral", state->ephemeral);
	rig_json_add_bool(writer, "output_only", state->output_only);
	rig_json_add_bool(writer, "ready", state->ready);
	rig_json_add_bool(writer, "dump", state->dump);
	rig_json_add_bool(writer, "dumped", state->dumped);
	rig_json_add_int(writer, "memory", (gint64)state->memory);
	rig_json_add_string(writer, "topology", state->topology);
	rig_json_add_string(writer, "fit", state->fit);
	rig_json_add_string(writer, "kernel", state->kernel);
	rig_json_add_string(writer, "image", state->image);
	rig_json_add_string(writer, "accel", state->accel);
	rig_json_add_string(writer, "class", class);
	write_manifest(state, writer);
	write_readback(&state->readback, writer);
	rig_json_close_object(writer);
	text = rig_json_writer_text(writer, TRUE);
	return rig_file_write(path, text, -1, 0644, error);
}

/* Reading. */

static char *copy(RigJson *object, const char *key)
{
	return g_strdup(rig_json_string(object, key, RIG_JSON_OPTIONAL));
}

static gint64 number(RigJson *object, const char *key)
{
	return rig_json_int(object, key, RIG_JSON_OPTIONAL, 0, G_MAXINT64, 0);
}

static void read_manifest(RigGuestState *state, RigJson *object)
{
	g_auto(GStrv) keys = object ? rig_json_keys(object) : NULL;

	for (char **key = keys; key && *key; key++)
		rig_guest_state_note(state, *key, rig_json_string(object, *key, RIG_JSON_OPTIONAL));
}

static void read_readback(RigReadback *readback, RigJson *object)
{
	readback->mem_total = (guint64)number(object, "mem_total");
	readback->cpus = (guint)number(object, "cpus");
	readback->nodes = (guint)number(object, "nodes");
	readback->release = copy(object, "release");
	readback->cmdline = copy(object, "cmdline");
	readback->numa_balancing = copy(object, "numa_balancing");
}

static void read_state(RigGuestState *state, RigJson *root)
{
	const char *class;

	(void)rig_json_int(root, "version", RIG_JSON_REQUIRED, VERSION, VERSION, 0);
	state->name = g_strdup(rig_json_string(root, "name", RIG_JSON_REQUIRED));
	state->uri = copy(root, "uri");
	state->uuid = copy(root, "uuid");
	state->domain_id = number(root, "domain_id");
	state->pid = number(root, "pid");
	state->owner = number(root, "owner");
	state->started = number(root, "started");
	state->ephemeral = rig_json_bool(root, "ephemeral", RIG_JSON_OPTIONAL, FALSE);
	state->output_only = rig_json_bool(root, "output_only", RIG_JSON_OPTIONAL, FALSE);
	state->ready = rig_json_bool(root, "ready", RIG_JSON_OPTIONAL, FALSE);
	state->dump = rig_json_bool(root, "dump", RIG_JSON_OPTIONAL, FALSE);
	state->dumped = rig_json_bool(root, "dumped", RIG_JSON_OPTIONAL, FALSE);
	state->memory = (guint64)number(root, "memory");
	state->topology = copy(root, "topology");
	state->fit = copy(root, "fit");
	state->kernel = copy(root, "kernel");
	state->image = copy(root, "image");
	state->accel = copy(root, "accel");
	class = rig_json_string(root, "class", RIG_JSON_OPTIONAL);
	state->class = class && *class ? *class : 'C';
	read_manifest(state, rig_json_object(root, "manifest", RIG_JSON_OPTIONAL));
	read_readback(&state->readback, rig_json_object(root, "readback", RIG_JSON_OPTIONAL));
}

RigGuestState *rig_guest_state_load(const char *dir, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "guest.json", NULL);
	g_autoptr(RigGuestState) state = rig_guest_state_new();
	g_autofree char *text = rig_file_read_own(path, TEXT_MAX, NULL, error);
	g_autoptr(RigJson) root = text ? rig_json_parse(path, text, -1, error) : NULL;

	if (!root)
		return NULL;
	state->dir = g_strdup(dir);
	read_state(state, root);
	if (!rig_json_finish(root, error))
		return NULL;
	return g_steal_pointer(&state);
}
