/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * source.c - turns the file lists of a job into files to read.
 */
#include "source.h"

#include "file.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each is held open; a machine with a dozen nodes needs some fifty. */
#define SOURCES_MAX 1024

static struct rig_source *find(const struct rig_sources *sources, const char *name)
{
	for (size_t i = 0; i < sources->count; i++)
		if (!strcmp(sources->list[i].name, name))
			return &sources->list[i];
	return NULL;
}

static struct rig_source *append(struct rig_sources *sources, const char *name)
{
	size_t size = (sources->count + 1) * sizeof(*sources->list);
	struct rig_source *list =
		sources->count < SOURCES_MAX ? realloc(sources->list, size) : NULL;
	struct rig_source *source;

	if (!list)
		return NULL;
	sources->list = list;
	source = &list[sources->count];
	*source = (struct rig_source){.name = strdup(name), .fd = -1};
	if (!source->name)
		return NULL;
	sources->count++;
	return source;
}

/* A file that is wanted at marks and at samples is one file. */
static const char *add(struct rig_sources *sources, const char *name, bool at_mark)
{
	struct rig_source *source = find(sources, name);

	if (!source)
		source = append(sources, name);
	if (!source)
		return "the job names too many files";
	source->at_mark |= at_mark;
	source->at_sample |= !at_mark;
	return NULL;
}

static const char *add_pattern(struct rig_sources *sources, const char *pattern, bool at_mark)
{
	const char *wrong = NULL;
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		return NULL;
	for (size_t i = 0; i < found.gl_pathc && !wrong; i++)
		wrong = add(sources, found.gl_pathv[i], at_mark);
	globfree(&found);
	return wrong;
}

const char *rig_sources_add_paths(struct rig_sources *sources, const json_t *array, bool at_mark)
{
	const char *wrong = NULL;
	size_t index;
	json_t *item;

	if (array && !json_is_array(array))
		return "mark_files and sample_files must be lists of strings";
	json_array_foreach((json_t *)array, index, item)
	{
		const char *pattern = json_string_value(item);

		if (!pattern || pattern[0] != '/')
			return "a file to read must be a string that begins with /";
		wrong = add_pattern(sources, pattern, at_mark);
		if (wrong)
			return wrong;
	}
	return NULL;
}

const char *rig_sources_add_names(struct rig_sources *sources, const json_t *array, bool at_mark)
{
	const char *wrong;
	size_t index;
	json_t *item;

	if (array && !json_is_array(array))
		return "task_mark_files and task_sample_files must be lists of strings";
	json_array_foreach((json_t *)array, index, item)
	{
		const char *name = json_string_value(item);

		if (!name || !*name || strchr(name, '/') || name[0] == '.' || strlen(name) > 64)
			return "a task's file must be a plain name, as numa_maps";
		wrong = add(sources, name, at_mark);
		if (wrong)
			return wrong;
	}
	return NULL;
}

void rig_sources_open(struct rig_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		if (sources->list[i].fd < 0)
			sources->list[i].fd = rig_file_open(sources->list[i].name);
}

void rig_sources_free(struct rig_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		if (sources->list[i].fd >= 0)
			close(sources->list[i].fd);
		free(sources->list[i].name);
	}
	free(sources->list);
	*sources = (struct rig_sources){0};
}
