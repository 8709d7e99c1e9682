/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-workload.c - any text as a workload file.
 *
 * Besides not crashing: what is taken gives a job that is one line, and a path that is one
 * component.
 */
#include "model/workload.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigWorkload) workload = rig_workload_parse("fuzz.json", text, &error);
	g_autofree char *job = NULL;
	g_autofree char *params = NULL;

	if (!workload) {
		if (!error)
			g_error("refused without a reason");
		return 0;
	}
	job = rig_workload_job(workload, 1, 1.0, -1, NULL);
	params = rig_workload_path_params(workload);
	if (strchr(job, '\n') || strchr(params, '/') || strlen(params) > 255 || !*params)
		g_error("an unfit job or path");
	if (!rig_workload_check_kernel(workload, "k", "CONFIG_X=y\n", &error) && !error)
		g_error("a kernel refused without a reason");
	return 0;
}
