/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests: from a line to the part of the agent that serves it. */
#pragma once

#include "agent.h"

/* Serves one line from the channel; anything that is no request is answered by an error. */
void rig_request_serve(struct rig_agent *agent, const char *line, size_t len);

/* The parts that requests reach. Each answers `id` by itself, now or later; `request` belongs to
 * the caller and is gone when the function returns. */
void rig_exec_request(struct rig_agent *agent, uint64_t id, const json_t *request);
void rig_put_request(struct rig_agent *agent, uint64_t id, const json_t *request);
void rig_get_request(struct rig_agent *agent, uint64_t id, const json_t *request);
void rig_read_request(struct rig_agent *agent, uint64_t id, const json_t *request);
void rig_run_request(struct rig_agent *agent, uint64_t id, const json_t *request);

/* Reads the files of `paths` (an array of patterns) as request `id`; also used without a request
 * for the read-back files of a diskless guest. */
void rig_read_paths(struct rig_agent *agent, uint64_t id, const json_t *paths);

/* Runs `job` as request `id`. */
void rig_run_job(struct rig_agent *agent, uint64_t id, const json_t *job);
