/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.c - balanced blocks in a shuffled order.
 *
 * Orders of the sides come in classes: an order and its rotations. Within a class every side is
 * once in every slot, so whole classes are balanced whatever their number; classes are drawn
 * without putting back, so every order comes equally often as far as the number of blocks goes. Two
 * sides have one class, AB and BA.
 */
#include "model/plan.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <string.h>

/* 120 classes of six sides are listed; of more sides they are drawn one by one. */
#define LISTED_SIDES_MAX 6

static void gsl_rng_cleanup(gsl_rng *rng)
{
	gsl_rng_free(rng);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(gsl_rng, gsl_rng_cleanup)

static gsl_rng *rng_new(guint64 seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	/* The generator takes 32 bits: let all 64 count. */
	gsl_rng_set(rng, (gulong)((seed ^ (seed >> 32)) & 0xffffffff));
	return rng;
}

static void shuffle(gsl_rng *rng, guint *items, guint count)
{
	if (count > 1)
		gsl_ran_shuffle(rng, items, count, sizeof(*items));
}

/* Append all orders of SIDES that begin with side 0 to CLASSES. */
static void list_classes(GArray *classes, guint *sides, guint n, guint fixed)
{
	if (fixed >= n) {
		g_array_append_vals(classes, sides, n);
		return;
	}
	for (guint i = fixed; i < n; i++) {
		guint first = sides[fixed], swapped = sides[i];

		sides[fixed] = swapped, sides[i] = first;
		list_classes(classes, sides, n, fixed + 1);
		sides[fixed] = first, sides[i] = swapped;
	}
}

static guint *identity(guint count)
{
	guint *items = g_new(guint, count);

	for (guint i = 0; i < count; i++)
		items[i] = i;
	return items;
}

/* Append N orders of N sides each to ORDERS: the rotations of CLASS, in a drawn order, but no more
 * than WANTED orders in all. */
static void add_rotations(GArray *orders, gsl_rng *rng, const guint *class, guint n, guint wanted)
{
	g_autofree guint *rotations = identity(n);

	shuffle(rng, rotations, n);
	for (guint i = 0; i < n && orders->len / n < wanted; i++)
		for (guint slot = 0; slot < n; slot++) {
			guint side = class[(slot + rotations[i]) % n];

			g_array_append_val(orders, side);
		}
}

static void draw_from_list(GArray *orders, gsl_rng *rng, guint n, guint wanted)
{
	g_autoptr(GArray) classes = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autofree guint *sides = identity(n);
	g_autofree guint *places = NULL;
	guint count;

	list_classes(classes, sides, n, 1);
	count = classes->len / n;
	places = identity(count);
	while (orders->len / n < wanted) {
		shuffle(rng, places, count);
		for (guint i = 0; i < count; i++)
			add_rotations(orders, rng, &g_array_index(classes, guint, places[i] * n), n,
				      wanted);
	}
}

static void draw_one_by_one(GArray *orders, gsl_rng *rng, guint n, guint wanted)
{
	g_autofree guint *sides = identity(n);

	while (orders->len / n < wanted) {
		shuffle(rng, sides + 1, n - 1);
		add_rotations(orders, rng, sides, n, wanted);
	}
}

static void fill_steps(RigPlan *plan, const guint *orders, const guint *blocks)
{
	for (guint i = 0; i < plan->n_steps; i++) {
		RigPlanStep *step = &plan->steps[i];

		step->order = i;
		step->block = i / plan->n_sides;
		step->slot = i % plan->n_sides;
		step->side = orders[blocks[step->block] * plan->n_sides + step->slot];
	}
}

RigPlan *rig_plan_make(guint n_sides, guint n_blocks, guint64 seed)
{
	g_autoptr(gsl_rng) rng = rng_new(seed);
	g_autoptr(GArray) orders = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autofree guint *blocks = identity(n_blocks);
	RigPlan *plan = g_new0(RigPlan, 1);

	plan->seed = seed;
	plan->n_sides = n_sides;
	plan->n_blocks = n_blocks;
	plan->n_values = 1;
	plan->n_steps = n_sides * n_blocks;
	plan->steps = g_new0(RigPlanStep, plan->n_steps);
	if (!plan->n_steps)
		return plan;
	if (n_sides <= LISTED_SIDES_MAX)
		draw_from_list(orders, rng, n_sides, n_blocks);
	else
		draw_one_by_one(orders, rng, n_sides, n_blocks);
	shuffle(rng, blocks, n_blocks);
	fill_steps(plan, (guint *)(void *)orders->data, blocks);
	return plan;
}

RigPlan *rig_plan_make_sweep(guint n_sides, guint n_blocks, guint n_values, guint64 seed)
{
	RigPlan *plan = rig_plan_make(n_sides, 0, seed);

	plan->n_blocks = n_blocks;
	plan->n_values = MAX(n_values, 1);
	plan->n_steps = n_sides * n_blocks * plan->n_values;
	g_free(plan->steps);
	plan->steps = g_new0(RigPlanStep, plan->n_steps);
	for (guint value = 0; value < plan->n_values; value++) {
		g_autoptr(RigPlan) own = rig_plan_make(n_sides, n_blocks, seed + value);

		for (guint i = 0; i < own->n_steps; i++) {
			RigPlanStep step = own->steps[i];

			step.value = value;
			step.order = (step.block * plan->n_values + value) * n_sides + step.slot;
			plan->steps[step.order] = step;
		}
	}
	return plan;
}

void rig_plan_extend(RigPlan *plan, guint n_blocks)
{
	g_autoptr(RigPlan) more = NULL;

	if (n_blocks <= plan->n_blocks)
		return;
	more = rig_plan_make_sweep(plan->n_sides, n_blocks - plan->n_blocks, plan->n_values,
				   plan->seed + (guint64)plan->n_blocks * plan->n_values);
	plan->steps = g_renew(RigPlanStep, plan->steps, plan->n_steps + more->n_steps);
	for (guint i = 0; i < more->n_steps; i++) {
		RigPlanStep step = more->steps[i];

		step.block += plan->n_blocks;
		step.order += plan->n_steps;
		plan->steps[plan->n_steps + i] = step;
	}
	plan->n_steps += more->n_steps;
	plan->n_blocks = n_blocks;
}

void rig_plan_free(RigPlan *plan)
{
	if (!plan)
		return;
	g_free(plan->steps);
	g_free(plan);
}
