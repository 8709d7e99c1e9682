/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rig in small: starts an agent on this host and speaks the protocol with it. */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

typedef struct {
	GSubprocess *agent;
	GSocketConnection *connection;
	GDataInputStream *in;
	char *folder; /* for the socket and the files of a test */
	guint id;     /* of the last request */
} Client;

/* All messages of one request. */
typedef struct {
	GPtrArray *messages; /* JsonObject */
	JsonObject *last;
} Answer;

/* Starts the agent that RIG_AGENT names and connects. */
Client *client_new(void);

/* Disconnects, expects the agent to end by itself with 0, and removes the folder. */
void client_free(Client *client);

/* Waits for the agent's end and returns its exit code; fails the test after some seconds. */
int client_wait(Client *client);

void client_send_raw(Client *client, const char *data, gsize size);

/* Sends a request; `format` makes the members after the id, as "'op': 'ping'", with ' for ". */
G_GNUC_PRINTF(2, 3) guint client_send(Client *client, const char *format, ...);

/* The next message, whatever it is; fails the test at the end of the stream. */
JsonObject *client_next(Client *client);

/* Reads until the message that ends request `id`. */
Answer *client_collect(Client *client, guint id);

/* client_send() and client_collect(). */
G_GNUC_PRINTF(2, 3) Answer *client_ask(Client *client, const char *format, ...);

void client_hello(Client *client, const char *session);

/* Sends an `input` request to the exec or put `to`. */
void client_input(Client *client, guint to, const char *data, gsize size, gboolean eof);

/* Runs fixture-workload in `mode`; `more` are further members of the job, with ' for ". */
guint client_send_run(Client *client, const char *mode, const char *more);
Answer *client_run(Client *client, const char *mode, const char *more);

/* A path in the client's folder. */
char *client_path(Client *client, const char *name);

void answer_free(Answer *answer);

/* The decoded payload of all messages of the answer whose member `key` is `value`. */
GString *answer_data(Answer *answer, const char *key, const char *value);

/* How many messages have member `key` with `value`. */
guint answer_count(Answer *answer, const char *key, const char *value);

/* Checks that the answer ended as an error with this code. */
void answer_expect_error(Answer *answer, const char *code);

/* The number of the first snapshot of this kind in `phase`, or -1. */
gint64 answer_snap(Answer *answer, const char *phase, const char *kind);

/* Processes of this machine whose name begins with `comm`. */
guint count_processes(const char *comm);

const char *member(JsonObject *object, const char *key);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Client, client_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Answer, answer_free)
