/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-agent.h - plays the agent for a rig-mem that a test runs (the program is named by RIG_MEM).
 * Everything here asserts: what is not as the protocol says ends the test.
 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

/* One running rig-mem and the agent's ends of its pipes. */
typedef struct {
	GSubprocess *program;
	FILE *lines;
	int ack;
	GString *phases;      /* "setup populate ..." */
	GArray *tasks;	      /* gint64: as the last mark named them */
	GPtrArray *results;   /* JsonObject */
	GHashTable *metrics;  /* name -> double* */
	JsonObject *resolved; /* NULL before it came */
	char *fail;
} MemAgent;

/* Starts rig-mem with @arguments, separated by blanks. */
MemAgent *mem_agent_start(const char *arguments);
void mem_agent_free(MemAgent *agent);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MemAgent, mem_agent_free)

/* Takes lines up to the next mark, whose phase it returns (not answered yet), or NULL at the end.
 */
const char *mem_agent_next(MemAgent *agent);
void mem_agent_answer(MemAgent *agent);

/* Answers marks until @phase (not answered) or, with NULL, to the end. */
void mem_agent_run_to(MemAgent *agent, const char *phase);

int mem_agent_exit_status(MemAgent *agent);

/* Runs to the end, as a whole run must. */
MemAgent *mem_agent_whole_run(const char *arguments);

/* The machine's overcommit pool of 2 MiB pages; NULL where there is none. g_free. */
char *mem_agent_pool(void);

/* TRUE, with the test marked as skipped, if the pool is @wanted and cannot be set. */
gboolean mem_agent_skip_pool(gboolean wanted);

/* A number that must be there. */
gint64 mem_agent_int(JsonObject *object, const char *name);
double mem_agent_real(JsonObject *object, const char *name);
