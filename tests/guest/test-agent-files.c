/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-agent-files.c - files that the agent reads, takes and gives.
 */
#include "client.h"

#include <string.h>

static void write_file(const char *path, const char *data, gssize size)
{
	g_autoptr(GError) error = NULL;

	g_file_set_contents(path, data, size, &error);
	g_assert_no_error(error);
}

static void test_read_patterns(void)
{
	g_autoptr(Client) client = client_new();
	g_autofree char *a = client_path(client, "a.txt"), *b = client_path(client, "b.txt");
	g_autofree char *pattern = client_path(client, "*.txt");
	g_autoptr(Answer) answer = NULL;
	g_autoptr(GString) data = NULL;

	write_file(a, "one", -1);
	write_file(b, "", 0);
	answer = client_ask(client, "'op': 'read', 'paths': ['%s', '/no/such/*', '/no/file', '%s']",
			    pattern, client->folder);
	g_assert_cmpstr(member(answer->last, "type"), ==, "ok");
	g_assert_cmpint(json_object_get_int_member(answer->last, "files"), ==, 2);
	g_assert_cmpuint(answer->messages->len, ==, 3);
	data = answer_data(answer, "path", a);
	g_assert_cmpstr(data->str, ==, "one");
	g_assert_cmpuint(answer_count(answer, "path", b), ==, 1);
}

/* /proc files tell no size; a file that is cut says so in its last message only. */
static void test_read_large(void)
{
	gsize size = 1024 * 1024 + 1;
	g_autofree char *text = g_malloc(size);
	g_autoptr(Client) client = client_new();
	g_autofree char *path = client_path(client, "large");
	g_autoptr(Answer) answer = NULL;
	g_autoptr(GString) data = NULL;

	for (gsize i = 0; i < size; i++)
		text[i] = i * 7 + i / 4096;
	write_file(path, text, size);
	answer = client_ask(client, "'op': 'read', 'paths': ['%s', '/proc/self/stat']", path);
	data = answer_data(answer, "path", path);
	g_assert_cmpmem(data->str, data->len, text, size - 1);
	for (guint i = 0; i < 32; i++) {
		JsonObject *chunk = answer->messages->pdata[i];

		g_assert_cmpint(json_object_get_boolean_member(chunk, "more"), ==, i < 31);
		g_assert_cmpint(json_object_has_member(chunk, "cut"), ==, i == 31);
	}
	g_string_free(g_steal_pointer(&data), TRUE);
	data = answer_data(answer, "path", "/proc/self/stat");
	g_assert_nonnull(strstr(data->str, "(rig-agent)"));
}

static void test_put_get(void)
{
	g_autofree char *data = g_malloc(100000);
	g_autoptr(Client) client = client_new();
	g_autofree char *path = client_path(client, "file \"with\\quotes");
	g_autofree char *quoted = client_path(client, "file \\\"with\\\\quotes");
	g_autoptr(Answer) put = NULL, got = NULL;
	g_autoptr(GString) back = NULL;
	guint id;

	for (gsize i = 0; i < 100000; i++)
		data[i] = i * 31 + i / 256;
	id = client_send(client, "'op': 'put', 'path': '%s', 'mode': %d", quoted, 0751);
	for (gsize at = 0; at < 100000; at += 25000)
		client_input(client, id, data + at, 25000, FALSE);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	client_send(client, "'op': 'input', 'to': %u, 'eof': true", id);
	put = client_collect(client, id);
	g_assert_cmpint(json_object_get_int_member(put->last, "size"), ==, 100000);

	got = client_ask(client, "'op': 'get', 'path': '%s'", quoted);
	back = answer_data(got, "path", path);
	g_assert_cmpmem(back->str, back->len, data, 100000);
	g_assert_cmpint(json_object_get_int_member(got->last, "size"), ==, 100000);
	g_assert_cmpint(json_object_get_int_member(got->last, "mode"), ==, 0751);
}

static void test_get_edges(void)
{
	static const gsize sizes[] = {0, 1, 32767, 32768, 32769, 65536};
	g_autofree char *zeros = g_malloc0(65536);
	g_autoptr(Client) client = client_new();
	g_autofree char *path = client_path(client, "file");

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		g_autoptr(Answer) got = NULL;
		g_autoptr(GString) data = NULL;
		JsonObject *last_data;

		write_file(path, zeros, sizes[i]);
		got = client_ask(client, "'op': 'get', 'path': '%s'", path);
		data = answer_data(got, "path", path);
		g_assert_cmpuint(data->len, ==, sizes[i]);
		last_data = got->messages->pdata[got->messages->len - 2];
		g_assert_false(json_object_get_boolean_member(last_data, "more"));
	}
}

static void test_transfer_errors(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) missing = client_ask(client, "'op': 'get', 'path': '/no/such'");
	g_autoptr(Answer) device = client_ask(client, "'op': 'get', 'path': '/dev/zero'");
	g_autoptr(Answer) folder =
		client_ask(client, "'op': 'put', 'path': '/no/such', 'mode': 420");
	g_autoptr(Answer) mode = client_ask(client, "'op': 'put', 'path': '/tmp/x', 'mode': -1");
	g_autoptr(Answer) relative = client_ask(client, "'op': 'get', 'path': 'x'");

	answer_expect_error(missing, "no-file");
	answer_expect_error(device, "bad-request");
	answer_expect_error(folder, "no-file");
	answer_expect_error(mode, "bad-request");
	answer_expect_error(relative, "bad-request");
}

/* A put that is given up leaves neither the file nor its half. */
static void test_put_given_up(void)
{
	g_autoptr(Client) client = client_new();
	g_autofree char *path = client_path(client, "file");
	guint id = client_send(client, "'op': 'put', 'path': '%s', 'mode': 420", path);
	g_autoptr(GDir) folder = NULL;
	const char *name;

	client_input(client, id, "half", 4, FALSE);
	client_hello(client, "next");
	folder = g_dir_open(client->folder, 0, NULL);
	while ((name = g_dir_read_name(folder)))
		g_assert_cmpstr(name, ==, "socket");
}

static void test_put_killed(void)
{
	g_autoptr(Client) client = client_new();
	g_autofree char *path = client_path(client, "file");
	guint id = client_send(client, "'op': 'put', 'path': '%s', 'mode': 420", path);
	g_autoptr(Answer) answer = NULL, after = NULL;

	client_send(client, "'op': 'kill', 'to': %u", id);
	answer = client_collect(client, id);
	answer_expect_error(answer, "io");
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	after = client_ask(client, "'op': 'exec', 'argv': ['true']");
	g_assert_cmpint(json_object_get_int_member(after->last, "code"), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/agent/read/patterns", test_read_patterns);
	g_test_add_func("/agent/read/large", test_read_large);
	g_test_add_func("/agent/transfer/put-get", test_put_get);
	g_test_add_func("/agent/transfer/get-edges", test_get_edges);
	g_test_add_func("/agent/transfer/errors", test_transfer_errors);
	g_test_add_func("/agent/transfer/given-up", test_put_given_up);
	g_test_add_func("/agent/transfer/killed", test_put_killed);
	return g_test_run();
}
