/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report-sides.h - sides from lists of numbers, and files to compare reports with.
 */
#pragma once

#include "expect.h"
#include "report/judgement.h"

/* {"base": {metric: [values]}, "head": {...}}; both of CLASS, on 2sp-icl. */
static inline RigSides *sides_parse(const char *text, char class)
{
	RigSides *sides = rig_sides_new();
	g_autoptr(GError) error = NULL;
	g_autoptr(RigJson) root = rig_json_parse("input", text, -1, &error);

	g_assert_no_error(error);
	rig_sides_add_json(sides, "base", rig_json_object(root, "base", RIG_JSON_REQUIRED));
	rig_sides_add_json(sides, "head", rig_json_object(root, "head", RIG_JSON_REQUIRED));
	g_assert_true(rig_json_finish(root, &error));
	g_assert_no_error(error);
	rig_sides_at(sides, 0)->class = rig_sides_at(sides, 1)->class = class;
	sides->workload = g_strdup("numa02");
	sides->suite = g_strdup("autonuma");
	sides->topology = g_strdup("2sp-icl");
	sides->params = g_strdup("default");
	return sides;
}

/* Make METRIC one of the workload's own. */
static inline RigMetricInfo *sides_own(RigSides *sides, const char *metric, const char *unit,
				       RigDirection direction, RigKind kind, gboolean primary)
{
	RigMetricInfo *info = (RigMetricInfo *)rig_sides_info(sides, metric);

	g_assert_nonnull(info);
	info->unit = g_strdup(unit);
	info->direction = direction;
	info->kind = kind;
	info->primary = primary;
	info->own = TRUE;
	return info;
}

typedef struct {
	RigSides *sides;
	RigCompare *compare;
	RigJudgement *judgement;
} Judged;

/* Takes SIDES. */
static inline Judged judged_new(RigSides *sides, const RigNoise *noise)
{
	Judged judged = {.sides = sides, .compare = rig_compare_new(sides)};

	judged.judgement = rig_judgement_new(judged.compare, noise);
	return judged;
}

static inline void judged_clear(Judged *judged)
{
	rig_judgement_free(judged->judgement);
	rig_compare_free(judged->compare);
	rig_sides_free(judged->sides);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Judged, judged_clear)

/* TEXT is, to the character, the file NAME of tests/data/FOLDER. */
static inline void expect_golden_file(const char *text, const char *folder, const char *name)
{
	g_autofree char *path = g_test_build_filename(G_TEST_DIST, "data", folder, name, NULL);
	g_autoptr(GError) error = NULL;
	g_autofree char *expected = rig_file_read(path, 0x100000, NULL, &error);

	g_assert_no_error(error);
	g_assert_cmpstr(text, ==, expected);
}
