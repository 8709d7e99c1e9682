/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * client.c - the host's side of the protocol for test-agent.c. It fails the test by itself when
 * the agent is silent for too long.
 */
#include "client.h"

#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include <string.h>

#define SILENCE_S 20

static GSocketConnection *connect_to(const char *path)
{
	g_autoptr(GSocketClient) socket = g_socket_client_new();
	g_autoptr(GSocketAddress) address = g_unix_socket_address_new(path);

	for (int i = 0; i < 2000; i++) {
		GSocketConnection *connection =
			g_socket_client_connect(socket, G_SOCKET_CONNECTABLE(address), NULL, NULL);

		if (connection)
			return connection;
		g_usleep(5000);
	}
	g_error("the agent does not listen at %s", path);
}

Client *client_new(void)
{
	Client *client = g_new0(Client, 1);
	g_autoptr(GError) error = NULL;
	g_autofree char *path = NULL;

	client->folder = g_dir_make_tmp("rig-agent-XXXXXX", &error);
	g_assert_no_error(error);
	path = client_path(client, "socket");
	client->agent = g_subprocess_new(G_SUBPROCESS_FLAGS_NONE, &error, g_getenv("RIG_AGENT"),
					 "--socket", path, NULL);
	g_assert_no_error(error);
	client->connection = connect_to(path);
	g_socket_set_timeout(g_socket_connection_get_socket(client->connection), SILENCE_S);
	client->in = g_data_input_stream_new(
		g_io_stream_get_input_stream(G_IO_STREAM(client->connection)));
	return client;
}

static gboolean too_late(gpointer agent)
{
	g_error("the agent did not end");
	return G_SOURCE_REMOVE;
}

static void has_ended(GObject *agent, GAsyncResult *result, gpointer loop)
{
	g_main_loop_quit(loop);
}

int client_wait(Client *client)
{
	g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);
	guint timer = g_timeout_add_seconds(SILENCE_S, too_late, NULL);

	g_subprocess_wait_async(client->agent, NULL, has_ended, loop);
	g_main_loop_run(loop);
	g_source_remove(timer);
	g_assert_true(g_subprocess_get_if_exited(client->agent));
	return g_subprocess_get_exit_status(client->agent);
}

static void remove_folder(const char *path)
{
	g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
	const char *name;

	while (folder && (name = g_dir_read_name(folder))) {
		g_autofree char *file = g_build_filename(path, name, NULL);

		g_remove(file);
	}
	g_rmdir(path);
}

void client_free(Client *client)
{
	g_io_stream_close(G_IO_STREAM(client->connection), NULL, NULL);
	g_assert_cmpint(client_wait(client), ==, 0);
	remove_folder(client->folder);
	g_object_unref(client->in);
	g_object_unref(client->connection);
	g_object_unref(client->agent);
	g_free(client->folder);
	g_free(client);
}

void client_send_raw(Client *client, const char *data, gsize size)
{
	GOutputStream *out = g_io_stream_get_output_stream(G_IO_STREAM(client->connection));
	g_autoptr(GError) error = NULL;

	g_output_stream_write_all(out, data, size, NULL, NULL, &error);
	g_assert_no_error(error);
}

static guint send_members(Client *client, const char *format, va_list args)
{
	g_autofree char *members = g_strdup_vprintf(format, args);
	g_autofree char *line = NULL;

	g_strdelimit(members, "'", '"');
	line = g_strdup_printf("{\"id\": %u, %s}\n", ++client->id, members);
	client_send_raw(client, line, strlen(line));
	return client->id;
}

guint client_send(Client *client, const char *format, ...)
{
	va_list args;
	guint id;

	va_start(args, format);
	id = send_members(client, format, args);
	va_end(args);
	return id;
}

JsonObject *client_next(Client *client)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(GError) error = NULL;
	gsize length;
	g_autofree char *line = g_data_input_stream_read_line(client->in, &length, NULL, &error);

	g_assert_no_error(error);
	g_assert_nonnull(line);
	g_assert_cmpuint(length, <, 65536);
	g_assert_true(g_utf8_validate(line, length, NULL));
	json_parser_load_from_data(parser, line, length, &error);
	g_assert_no_error(error);
	return json_object_ref(json_node_get_object(json_parser_get_root(parser)));
}

static gboolean is_end(JsonObject *message, guint id)
{
	static const char *const ends[] = {"ok", "exit", "done", "error", "hello", NULL};

	return json_object_get_int_member_with_default(message, "id", -1) == id &&
	       g_strv_contains(ends, member(message, "type"));
}

Answer *client_collect(Client *client, guint id)
{
	Answer *answer = g_new0(Answer, 1);

	answer->messages = g_ptr_array_new_with_free_func((GDestroyNotify)json_object_unref);
	do {
		answer->last = client_next(client);
		g_ptr_array_add(answer->messages, answer->last);
	} while (!is_end(answer->last, id));
	return answer;
}

Answer *client_ask(Client *client, const char *format, ...)
{
	va_list args;
	guint id;

	va_start(args, format);
	id = send_members(client, format, args);
	va_end(args);
	return client_collect(client, id);
}

void client_hello(Client *client, const char *session)
{
	g_autoptr(Answer) answer = client_ask(client, "'op': 'hello', 'session': '%s'", session);

	g_assert_cmpstr(member(answer->last, "type"), ==, "hello");
	g_assert_cmpstr(member(answer->last, "session"), ==, session);
}

char *client_path(Client *client, const char *name)
{
	return g_build_filename(client->folder, name, NULL);
}

void answer_free(Answer *answer)
{
	g_ptr_array_unref(answer->messages);
	g_free(answer);
}

static gboolean matches(JsonObject *message, const char *key, const char *value)
{
	return g_strcmp0(member(message, key), value) == 0;
}

GString *answer_data(Answer *answer, const char *key, const char *value)
{
	GString *all = g_string_new(NULL);

	for (guint i = 0; i < answer->messages->len; i++) {
		JsonObject *message = answer->messages->pdata[i];
		g_autofree guchar *bytes = NULL;
		gsize size;

		if (!matches(message, key, value) || !member(message, "data"))
			continue;
		bytes = g_base64_decode(member(message, "data"), &size);
		g_string_append_len(all, (char *)bytes, size);
	}
	return all;
}

guint answer_count(Answer *answer, const char *key, const char *value)
{
	guint count = 0;

	for (guint i = 0; i < answer->messages->len; i++)
		count += matches(answer->messages->pdata[i], key, value);
	return count;
}

void answer_expect_error(Answer *answer, const char *code)
{
	g_assert_cmpstr(member(answer->last, "type"), ==, "error");
	g_assert_cmpstr(member(answer->last, "code"), ==, code);
	g_assert_cmpuint(strlen(member(answer->last, "message")), >, 5);
}

guint count_processes(const char *comm)
{
	g_autoptr(GDir) proc = g_dir_open("/proc", 0, NULL);
	const char *name;
	guint count = 0;

	while ((name = g_dir_read_name(proc))) {
		g_autofree char *path = g_build_filename("/proc", name, "comm", NULL);
		g_autofree char *text = NULL;

		if (g_ascii_isdigit(name[0]) && g_file_get_contents(path, &text, NULL, NULL))
			count += g_str_has_prefix(text, comm);
	}
	return count;
}

guint client_send_run(Client *client, const char *mode, const char *more)
{
	return client_send(client,
			   "'op': 'run', 'job': {'argv': ['%s', '%s'], 'timeout_ms': 15000%s}",
			   g_getenv("RIG_FIXTURE"), mode, more);
}

Answer *client_run(Client *client, const char *mode, const char *more)
{
	return client_collect(client, client_send_run(client, mode, more));
}

gint64 answer_snap(Answer *answer, const char *phase, const char *kind)
{
	for (guint i = 0; i < answer->messages->len; i++) {
		JsonObject *message = answer->messages->pdata[i];

		if (g_strcmp0(member(message, "type"), "snap") == 0 &&
		    g_strcmp0(member(message, "phase"), phase) == 0 &&
		    g_strcmp0(member(message, "kind"), kind) == 0)
			return json_object_get_int_member(message, "snap");
	}
	return -1;
}

const char *member(JsonObject *object, const char *key)
{
	return json_object_get_string_member_with_default(object, key, NULL);
}

void client_input(Client *client, guint to, const char *data, gsize size, gboolean eof)
{
	g_autofree char *text = g_base64_encode((const guchar *)data, size);

	client_send(client, "'op': 'input', 'to': %u, 'data': '%s', 'eof': %s", to, text,
		    eof ? "true" : "false");
}
