/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-protocol.c - any lines as what an agent sends of a run.
 *
 * Besides not crashing: what was taken is bounded, and a run that came to its end can be judged.
 */
#include "model/metrics.h"
#include "model/raw.h"
#include "proto.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char workload_text[] =
	"{\"version\": 1, \"name\": \"f\", \"suite\": \"s\", \"text\": \"t\","
	" \"program\": {\"builtin\": \"rig-mem\"},"
	" \"phases\": {\"order\": [\"copy\"], \"measured\": [\"copy\"]},"
	" \"results\": {\"count\": \"tasks\"},"
	" \"metrics\": [{\"name\": \"f.sum\", \"from\": \"result\", \"field\": \"kbps\", "
	"\"reduce\": \"sum\","
	"  \"unit\": \"1\", \"direction\": \"higher\", \"kind\": \"ratio\", \"primary\": true}]}";

static gboolean feed(RigRawRun *run, const char *line, size_t length)
{
	g_autoptr(RigJson) message = rig_json_parse("agent", line, (gssize)length, NULL);

	return message && rig_raw_run_feed(run, message, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autoptr(RigWorkload) workload = rig_workload_parse("f", workload_text, NULL);
	g_autoptr(RigRunResult) result = NULL;

	for (guint i = 0; lines[i]; i++)
		if (!feed(run, lines[i], strlen(lines[i])))
			break;
	if (run->bytes > size)
		g_error("more payload than there was");
	result = rig_run_result_compute(run, workload);
	if (!run->done && result->outcome == RIG_OUTCOME_OK)
		g_error("a run without an end is taken for whole");
	if ((result->outcome == RIG_OUTCOME_OK) != (result->outcome_text == NULL))
		g_error("an outcome without a reason");
	return 0;
}
