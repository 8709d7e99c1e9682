/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * outcome.c - names of outcomes, and the search for what spoils a run in a kernel's log.
 *
 * The text comes from a guest and may be anything: lines are looked at up to a length, nothing is
 * copied but the one line that is shown, and that is made safe.
 */
#include "model/outcome.h"

#include "base/error.h"
#include "base/text.h"

#include <gio/gio.h>
#include <string.h>

#define LINE_LENGTH_MAX 1024
#define SHOWN_LENGTH_MAX 200

static const struct {
	const char *name;
	int exit_code;
} outcomes[] = {
	[RIG_OUTCOME_OK] = {"ok", 0},
	[RIG_OUTCOME_WORKLOAD] = {"workload", RIG_ERROR_FAILED},
	[RIG_OUTCOME_PARTIAL] = {"partial", RIG_ERROR_FAILED},
	[RIG_OUTCOME_OOM] = {"oom", RIG_ERROR_FAILED},
	[RIG_OUTCOME_WARNING] = {"warning", RIG_ERROR_FAILED},
	[RIG_OUTCOME_OOPS] = {"oops", RIG_ERROR_PANIC},
	[RIG_OUTCOME_TIMEOUT] = {"timeout", RIG_ERROR_TIMEOUT},
	[RIG_OUTCOME_BOOT] = {"boot", RIG_ERROR_BOOT},
	[RIG_OUTCOME_PANIC] = {"panic", RIG_ERROR_PANIC},
	[RIG_OUTCOME_HANG] = {"hang", RIG_ERROR_HANG},
	[RIG_OUTCOME_LOST] = {"lost", RIG_ERROR_LOST},
	[RIG_OUTCOME_INTERRUPTED] = {"interrupted", RIG_ERROR_INTERRUPTED},
};

/* What the kernel says, worst first; lines of one outcome need no order. AT_START: only where the
 * message begins with it, for words that are also harmless. AND: a second part that must follow. */
static const struct {
	RigOutcome outcome;
	const char *text, *and;
	gboolean at_start;
} patterns[] = {
	{RIG_OUTCOME_PANIC, "Kernel panic - not syncing", NULL, FALSE},
	{RIG_OUTCOME_OOPS, "Oops: ", NULL, FALSE},
	{RIG_OUTCOME_OOPS, "kernel BUG at ", NULL, FALSE},
	{RIG_OUTCOME_OOPS, "BUG: unable to handle", NULL, FALSE},
	{RIG_OUTCOME_OOPS, "BUG: kernel NULL pointer dereference", NULL, FALSE},
	/* "traps: prog[7] general protection fault ip:" is a program's, not the kernel's. */
	{RIG_OUTCOME_OOPS, "general protection fault", "[#", FALSE},
	{RIG_OUTCOME_OOPS, "general protection fault, probably for", NULL, FALSE},
	{RIG_OUTCOME_OOPS, "Unable to handle kernel", NULL, FALSE},
	{RIG_OUTCOME_OOPS, ": 0000 [#", NULL, FALSE},
	{RIG_OUTCOME_OOM, "Out of memory: Kill", NULL, FALSE},
	{RIG_OUTCOME_OOM, "Memory cgroup out of memory: Kill", NULL, FALSE},
	{RIG_OUTCOME_OOM, "invoked oom-killer:", NULL, FALSE},
	{RIG_OUTCOME_OOM, "oom-kill:constraint=", NULL, FALSE},
	{RIG_OUTCOME_WARNING, "WARNING: ", NULL, TRUE},
	{RIG_OUTCOME_WARNING, "BUG: ", NULL, FALSE},
	{RIG_OUTCOME_WARNING, "INFO: task ", " blocked for more than ", FALSE},
	{RIG_OUTCOME_WARNING, "INFO: task ", " blocked in I/O wait for more than ", FALSE},
	{RIG_OUTCOME_WARNING, "INFO: rcu", "stall", FALSE},
	{RIG_OUTCOME_WARNING, "rcu: INFO: ", "stall", FALSE},
	{RIG_OUTCOME_WARNING, "detected hard LOCKUP", NULL, FALSE},
	{RIG_OUTCOME_WARNING, "UBSAN: ", NULL, TRUE},
	{RIG_OUTCOME_WARNING, "llc-sibling", "not on the same node", FALSE},
};

const char *rig_outcome_name(RigOutcome outcome)
{
	return outcomes[outcome].name;
}

gboolean rig_outcome_from_name(const char *name, RigOutcome *outcome)
{
	for (guint i = 0; i < G_N_ELEMENTS(outcomes); i++) {
		if (!g_str_equal(outcomes[i].name, name))
			continue;
		*outcome = (RigOutcome)i;
		return TRUE;
	}
	return FALSE;
}

int rig_outcome_exit_code(RigOutcome outcome)
{
	return outcomes[outcome].exit_code;
}

RigOutcome rig_outcome_from_error(const GError *error)
{
	if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
		return RIG_OUTCOME_INTERRUPTED;
	if (!error || error->domain != RIG_ERROR)
		return RIG_OUTCOME_LOST;
	switch ((RigErrorCode)error->code) {
	case RIG_ERROR_FAILED:
		return RIG_OUTCOME_WORKLOAD;
	case RIG_ERROR_BOOT:
		return RIG_OUTCOME_BOOT;
	case RIG_ERROR_PANIC:
		return RIG_OUTCOME_PANIC;
	case RIG_ERROR_HANG:
		return RIG_OUTCOME_HANG;
	case RIG_ERROR_TIMEOUT:
		return RIG_OUTCOME_TIMEOUT;
	case RIG_ERROR_INTERRUPTED:
	case RIG_ERROR_TERMINATED:
		return RIG_OUTCOME_INTERRUPTED;
	default:
		return RIG_OUTCOME_LOST;
	}
}

/* Behind the time or the thread in brackets and the blanks that follow; AT itself if there is none.
 */
static const char *skip_bracket(const char *at)
{
	gsize inner = *at == '[' ? strspn(at + 1, " .0123456789TC") : 0;

	if (!inner || at[inner + 1] != ']')
		return at;
	at += inner + 2;
	return at + strspn(at, " ");
}

/* What stands before the message: "4,812,1234567,-;" or "<4>,812,...;" of kmsg, "<4>" of a serial
 * console,
 * "[    1.234567] " and "[  T1] ". */
static const char *skip_prefix(const char *line)
{
	const char *at = line;

	if (*at == '<') {
		at += 1 + strspn(at + 1, "0123456789");
		at = *at == '>' ? at + 1 : line;
	}
	if (g_ascii_isdigit(*at) || *at == ',') {
		const char *semicolon = strchr(at, ';');
		const char *comma = strchr(at, ',');

		if (semicolon && comma && comma < semicolon && comma - at <= 3)
			at = semicolon + 1;
	}
	at += strspn(at, " ");
	return skip_bracket(skip_bracket(at));
}

static gboolean matches(const char *message, guint i)
{
	const char *found = strstr(message, patterns[i].text);

	if (!found || (patterns[i].at_start && found != message))
		return FALSE;
	return !patterns[i].and || strstr(found, patterns[i].and);
}

/* The first, so worst, pattern that the message fits; their number if none. */
static guint classify(const char *message)
{
	guint i = 0;

	while (i < G_N_ELEMENTS(patterns) && !matches(message, i))
		i++;
	return i;
}

/* How bad: a lower class is worse. Patterns stand in groups of one outcome, worst group first. */
static guint rank(RigOutcome outcome)
{
	guint i = 0;

	while (i < G_N_ELEMENTS(patterns) && patterns[i].outcome != outcome)
		i++;
	return i;
}

/* A console ends its lines with a carriage return as well. */
static void keep_line(char **line, const char *message)
{
	gsize length = strcspn(message, "\r\n");

	if (!line)
		return;
	g_free(*line);
	*line = rig_text_safe_line(message, (gssize)MIN(length, SHOWN_LENGTH_MAX));
}

RigOutcome rig_outcome_scan_log(const char *text, char **line)
{
	RigOutcome worst = RIG_OUTCOME_OK;

	if (line)
		*line = NULL;
	while (text && *text) {
		gsize length = strcspn(text, "\n");
		char buffer[LINE_LENGTH_MAX];
		const char *message;
		guint i;

		g_strlcpy(buffer, text, MIN(length + 1, sizeof(buffer)));
		text += length + (text[length] == '\n');
		message = skip_prefix(buffer);
		i = classify(message);
		if (i < G_N_ELEMENTS(patterns) && rank(patterns[i].outcome) < rank(worst)) {
			worst = patterns[i].outcome;
			keep_line(line, message);
		}
	}
	return worst;
}
