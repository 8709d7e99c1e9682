/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fault-workload.c - the program fault.c as a workload of rig.
 */
#include "fault-workload.h"

char *fault_workload(CliFixture *f, const char *mode, const char *timeout, const char *option)
{
	g_autofree char *name = g_strdup_printf("fault-%s.json", mode);
	g_autofree char *text = g_strdup_printf(
		"{\"version\": 1, \"name\": \"fault-%s\", \"suite\": \"fault\", \"text\": \"t\",\n"
		" \"program\": {\"file\": \"%s\", \"args\": []},\n"
		" \"parameters\": {\"mode\": {\"default\": \"%s\", \"text\": \"how it breaks\"}},\n"
		" \"needs\": {\"kernel\": [\"%s=y\"]},\n"
		" \"timeout_s\": %s, \"sample_ms\": 1000,\n"
		" \"metrics\": [{\"name\": \"fault.score\", \"from\": \"stdout\",\n"
		"   \"pattern\": \"score: ([0-9.]+)\", \"reduce\": \"sum\", \"unit\": \"points\",\n"
		"   \"direction\": \"higher\", \"kind\": \"ratio\", \"primary\": true,\n"
		"   \"text\": \"t\"}]}\n",
		mode, g_getenv("RIG_FAULT"), mode, option, timeout);

	return cli_write(f, name, text);
}
