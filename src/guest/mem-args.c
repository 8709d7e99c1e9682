/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-args.c - reads the options of rig-mem. One table says what an option is called, what values
 * it takes and which cases know it.
 */
#include "mem-args.h"

#include <stdio.h>
#include <string.h>

enum value_kind {
	VALUE_NUMBER,
	VALUE_SIZE,
	VALUE_PERCENT_NUMBER,
	VALUE_PERCENT_SIZE,
	VALUE_BIND,
	VALUE_FLAG,
};

struct option_row {
	const char *name;
	enum value_kind kind;
	unsigned families;
	size_t offset;
	uint64_t min;
	uint64_t max;
};

#define FIELD(name) offsetof(struct rig_mem_options, name)
#define ANY (RIG_MEM_USEMEM | RIG_MEM_NUMA)

static const struct option_row option_rows[] = {
	{"tasks", VALUE_PERCENT_NUMBER, ANY, FIELD(tasks), 1, 1000},
	{"runtime", VALUE_NUMBER, RIG_MEM_USEMEM, FIELD(runtime), 1, 86400},
	{"unit", VALUE_PERCENT_SIZE, RIG_MEM_USEMEM, FIELD(unit), 1, 100},
	{"size", VALUE_SIZE, ANY, FIELD(size), 1, UINT64_MAX >> 16},
	{"seed", VALUE_NUMBER, RIG_MEM_USEMEM, FIELD(seed), 0, UINT64_MAX},
	{"pool", VALUE_NUMBER, RIG_MEM_USEMEM, FIELD(pool), 0, UINT64_MAX >> 22},
	{"no-pool", VALUE_FLAG, RIG_MEM_USEMEM, FIELD(no_pool), 0, 0},
	{"passes", VALUE_NUMBER, RIG_MEM_NUMA, FIELD(passes), 1, UINT32_MAX},
	{"first-node", VALUE_NUMBER, RIG_MEM_NUMA, FIELD(first_node), 0, 1023},
	{"bind", VALUE_BIND, RIG_MEM_NUMA, FIELD(bind), 0, 0},
};

const char *rig_mem_options_help(void)
{
	return "Options of all cases:\n"
	       "  --tasks=N|P%       tasks (default: a task for each CPU, numa02-smt: for every "
	       "two)\n"
	       "  --size=SIZE        bytes of one task's region; numa: of one process's buffer\n"
	       "Options of the anon cases:\n"
	       "  --unit=SIZE|P%     bytes of all regions together, or percent of MemTotal\n"
	       "  --runtime=SECONDS  how long (default 20), counted from before the first page;\n"
	       "                     the accesses get at least a quarter of it\n"
	       "  --seed=N           of the random places (default 1)\n"
	       "  --pool=PAGES       overcommit 2 MiB pages to allow (default: what the case "
	       "needs)\n"
	       "  --no-pool          leave the overcommit pool as it is\n"
	       "Options of the numa cases:\n"
	       "  --passes=N         passes over the memory (default: the original's, fewer in a "
	       "small guest)\n"
	       "  --bind=none|hard|inverse  CPUs and memory left alone, on one node, on two\n"
	       "  --first-node=N     node of the first touches when nothing is bound (default 0)\n"
	       "SIZE: a number with K, M, G or T (KiB and so on mean the same).\n";
}

/* Digits only: no sign, no space, no overflow. Returns what follows them, or NULL. */
static const char *parse_digits(const char *text, uint64_t *value)
{
	const char *at = text;

	*value = 0;
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*at - '0'), value))
			return NULL;
	return at == text ? NULL : at;
}

bool rig_mem_size_parse(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	const char *rest = parse_digits(text, bytes);
	const char *unit;

	if (!rest)
		return false;
	if (*rest == '\0')
		return true;
	unit = strchr(units, *rest);
	if (!unit || (rest[1] != '\0' && strcmp(rest + 1, "iB") != 0))
		return false;
	return !__builtin_mul_overflow(*bytes, 1ULL << (10 * (unit - units + 1)), bytes);
}

static bool parse_percent(const char *text, struct rig_mem_amount *amount)
{
	const char *rest = parse_digits(text, &amount->value);

	amount->percent = true;
	return rest && strcmp(rest, "%") == 0;
}

static bool parse_amount(const struct option_row *row, const char *text,
			 struct rig_mem_amount *amount)
{
	const char *rest;

	*amount = (struct rig_mem_amount){.set = true};
	if ((row->kind == VALUE_PERCENT_NUMBER || row->kind == VALUE_PERCENT_SIZE) &&
	    strchr(text, '%'))
		return parse_percent(text, amount) && amount->value >= row->min &&
		       amount->value <= row->max;
	if (row->kind == VALUE_PERCENT_SIZE)
		return rig_mem_size_parse(text, &amount->value) && amount->value > 0;
	if (row->kind == VALUE_SIZE)
		return rig_mem_size_parse(text, &amount->value) && amount->value >= row->min &&
		       amount->value <= row->max;
	rest = parse_digits(text, &amount->value);
	if (!rest || *rest != '\0' || amount->value < row->min)
		return false;
	return row->kind == VALUE_PERCENT_NUMBER || amount->value <= row->max;
}

static bool parse_bind(const char *text, enum rig_mem_bind *bind)
{
	static const char *const names[] = {"none", "hard", "inverse"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(text, names[i]) == 0) {
			*bind = (enum rig_mem_bind)i;
			return true;
		}
	return false;
}

static const struct option_row *find_row(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(option_rows) / sizeof(option_rows[0]); i++)
		if (strlen(option_rows[i].name) == length &&
		    strncmp(option_rows[i].name, name, length) == 0)
			return &option_rows[i];
	return NULL;
}

static bool take_value(const struct option_row *row, const char *value,
		       struct rig_mem_options *options)
{
	void *field = (char *)options + row->offset;

	if (row->kind == VALUE_FLAG) {
		*(bool *)field = true;
		return value == NULL;
	}
	if (!value)
		return false;
	if (row->kind == VALUE_BIND)
		return parse_bind(value, field);
	return parse_amount(row, value, field);
}

bool rig_mem_option_parse(const struct rig_mem_case *what, const char *argument,
			  struct rig_mem_options *options, char *why)
{
	const char *name = argument + 2;
	const char *equals = strchr(argument, '=');
	const struct option_row *row = NULL;

	if (strncmp(argument, "--", 2) == 0)
		row = find_row(name, equals ? (size_t)(equals - name) : strlen(name));
	if (!row) {
		snprintf(why, RIG_MEM_WHY_MAX, "unknown option '%s'", argument);
		return false;
	}
	if (!(row->families & what->family)) {
		snprintf(why, RIG_MEM_WHY_MAX, "option --%s means nothing to %s", row->name,
			 what->name);
		return false;
	}
	if (!take_value(row, equals ? equals + 1 : NULL, options)) {
		snprintf(why, RIG_MEM_WHY_MAX, "option --%s: bad value '%s'", row->name,
			 equals ? equals + 1 : "");
		return false;
	}
	return true;
}
