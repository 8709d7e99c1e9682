/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-plan.c - balance and repeatability of plans. */
#include "model/plan.h"

#include <string.h>

static guint side_at(const RigPlan *plan, guint block, guint slot)
{
	return plan->steps[block * plan->n_sides + slot].side;
}

static void check_form(const RigPlan *plan)
{
	for (guint i = 0; i < plan->n_steps; i++) {
		g_assert_cmpuint(plan->steps[i].order, ==, i);
		g_assert_cmpuint(plan->steps[i].block, ==, i / plan->n_sides);
		g_assert_cmpuint(plan->steps[i].slot, ==, i % plan->n_sides);
	}
	/* Every block has every side once. */
	for (guint block = 0; block < plan->n_blocks; block++) {
		guint64 seen = 0;

		for (guint slot = 0; slot < plan->n_sides; slot++)
			seen |= (guint64)1 << side_at(plan, block, slot);
		g_assert_cmpuint(seen, ==, ((guint64)1 << plan->n_sides) - 1);
	}
}

/* How far apart the sides are in how often each is in SLOT. */
static guint imbalance(const RigPlan *plan, guint slot)
{
	guint least = G_MAXUINT, most = 0;

	for (guint side = 0; side < plan->n_sides; side++) {
		guint count = 0;

		for (guint block = 0; block < plan->n_blocks; block++)
			count += side_at(plan, block, slot) == side;
		least = MIN(least, count);
		most = MAX(most, count);
	}
	return most - least;
}

static void test_balance(void)
{
	for (guint sides = 1; sides <= 8; sides++)
		for (guint blocks = 0; blocks <= 30; blocks++)
			for (guint64 seed = 0; seed < 5; seed++) {
				g_autoptr(RigPlan) plan = rig_plan_make(sides, blocks, seed);

				g_assert_cmpuint(plan->n_steps, ==, sides * blocks);
				check_form(plan);
				for (guint slot = 0; slot < sides; slot++)
					g_assert_cmpuint(imbalance(plan, slot), <=,
							 blocks % sides ? 1 : 0);
			}
}

/* With as many blocks as there are orders every order comes once. */
static void test_all_orders(void)
{
	g_autoptr(RigPlan) plan = rig_plan_make(4, 24, 7);
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

	for (guint block = 0; block < 24; block++) {
		guint code = 0;

		for (guint slot = 0; slot < 4; slot++)
			code = code * 4 + side_at(plan, block, slot) + (slot == 0);
		g_hash_table_add(seen, GUINT_TO_POINTER(code + 1));
	}
	g_assert_cmpuint(g_hash_table_size(seen), ==, 24);
}

static char *as_text(const RigPlan *plan)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < plan->n_steps; i++)
		g_string_append_printf(text, "%c%s", 'A' + (char)plan->steps[i].side,
				       plan->steps[i].slot + 1 == plan->n_sides ? " " : "");
	return g_strchomp(g_string_free(text, FALSE));
}

/* The order is part of a record's meaning: it must not change with a version, a library or a
 * machine. Expected values come from an implementation of the generator and of the drawing in
 * another language. */
static void test_fixed(void)
{
	static const struct {
		guint sides, blocks;
		guint64 seed;
		const char *order;
	} plans[] = {
		{2, 8, 1, "BA AB BA AB AB AB BA BA"},
		{2, 8, 2, "AB BA BA AB AB BA AB BA"},
		{2, 5, 42, "AB AB BA AB BA"},
		{3, 6, 1, "ABC BAC CAB BCA CBA ACB"},
		{2, 6, G_GUINT64_CONSTANT(0x100000000), "AB AB BA AB BA BA"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(plans); i++) {
		g_autoptr(RigPlan) plan =
			rig_plan_make(plans[i].sides, plans[i].blocks, plans[i].seed);
		g_autofree char *text = as_text(plan);

		g_assert_cmpuint(plan->seed, ==, plans[i].seed);
		g_assert_cmpstr(text, ==, plans[i].order);
	}
}

/* Not the same order every time: over seeds both sides begin, about equally often. */
static void test_shuffled(void)
{
	guint first = 0;

	for (guint64 seed = 1; seed <= 400; seed++) {
		g_autoptr(RigPlan) plan = rig_plan_make(2, 6, seed);

		first += plan->steps[0].side == 0;
	}
	/* Six standard deviations of a fair coin. */
	g_assert_cmpuint(first, >, 140);
	g_assert_cmpuint(first, <, 260);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plan/balance", test_balance);
	g_test_add_func("/plan/all-orders", test_all_orders);
	g_test_add_func("/plan/fixed", test_fixed);
	g_test_add_func("/plan/shuffled", test_shuffled);
	return g_test_run();
}
