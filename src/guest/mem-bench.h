/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-bench.h - is the measured store loop as fast as a plain one?
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Runs a plain loop and the access loop of the random cases in turn on one mapping of @size bytes
 * and prints one JSON object to stdout: nanoseconds a store of each, and how many times as fast as
 * the plain one the access loop is (1: equal, above: faster). False if there is no memory.
 */
bool rig_mem_bench(uint64_t size);
