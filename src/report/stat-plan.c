/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-plan.c - which test the plan of the runs asks for, and which runs make a pair.
 */
#include "report/stat-plan.h"

const char *rig_stat_method_name(RigStatMethod method)
{
	return method == RIG_STAT_PAIRED ? "paired" : "welch";
}

static const char *manifest_of(const RigSideRun *run, const char *key)
{
	return run->manifest ? g_hash_table_lookup(run->manifest, key) : NULL;
}

static const char *plan_of(const RigSideRun *run)
{
	const char *id = manifest_of(run, "plan.id");

	return id ? id : manifest_of(run, "plan.seed");
}

static guint blocks_of(const RigSideRun *run)
{
	const char *text = manifest_of(run, "plan.blocks");
	guint64 blocks;

	return text && g_ascii_string_to_unsigned(text, 10, 1, G_MAXUINT, &blocks, NULL)
		       ? (guint)blocks
		       : 0;
}

/* "PLAN/BLOCK", or NULL for a run of no plan. */
static char *block_key(const RigSideRun *run)
{
	const char *plan = plan_of(run), *block = manifest_of(run, "plan.block");

	return plan && block && blocks_of(run) ? g_strdup_printf("%s/%s", plan, block) : NULL;
}

/* What both sides' runs say of their plans. */
typedef struct {
	GHashTable *blocks; /* block keys seen, of failed runs too */
	GHashTable *plans;  /* plan -> its number of blocks */
	gboolean unplanned; /* a run without a plan */
	guint planned;	    /* blocks of all plans */
	guint fewest;	    /* blocks of the smallest plan */
	const char *newest; /* the plan of the latest run */
	gint64 started;	    /* of that run */
	const char *method; /* what the plan names; NULL where it names none, or several */
	gboolean looks;
} Survey;

static void survey_run(Survey *survey, const RigSideRun *run)
{
	char *key = block_key(run);
	const char *plan = plan_of(run), *method = manifest_of(run, "plan.method");
	guint blocks = blocks_of(run), known;

	if (!key) {
		survey->unplanned = TRUE;
		return;
	}
	g_hash_table_add(survey->blocks, key);
	if (!survey->newest || run->started >= survey->started) {
		survey->newest = plan;
		survey->started = run->started;
	}
	if (g_hash_table_size(survey->plans) == 0)
		survey->method = method;
	else if (!g_hash_table_contains(survey->plans, plan))
		survey->method = NULL;
	/* A plan with looks may have grown since its first runs. */
	known = GPOINTER_TO_UINT(g_hash_table_lookup(survey->plans, plan));
	g_hash_table_insert(survey->plans, (gpointer)plan, GUINT_TO_POINTER(MAX(known, blocks)));
	survey->looks |= manifest_of(run, "plan.looks") != NULL;
}

static void survey_side(Survey *survey, const RigSide *side)
{
	for (guint i = 0; i < side->runs->len; i++)
		survey_run(survey, g_ptr_array_index(side->runs, i));
}

static void survey_sum(Survey *survey)
{
	GHashTableIter iter;
	gpointer blocks;

	g_hash_table_iter_init(&iter, survey->plans);
	while (g_hash_table_iter_next(&iter, NULL, &blocks)) {
		guint n = GPOINTER_TO_UINT(blocks);

		survey->planned += n;
		survey->fewest = survey->fewest ? MIN(survey->fewest, n) : n;
	}
}

static gboolean good(const RigSideRun *run)
{
	return run->outcome == RIG_OUTCOME_OK;
}

static void all_good(const RigSide *side, GArray *runs)
{
	for (guint i = 0; i < side->runs->len; i++)
		if (good(g_ptr_array_index(side->runs, i)))
			g_array_append_val(runs, i);
}

/* Block key -> place of its good run + 1. FALSE if a block has two. */
static gboolean index_blocks(const RigSide *side, GHashTable *places)
{
	gboolean once = TRUE;

	for (guint i = 0; i < side->runs->len; i++) {
		const RigSideRun *run = g_ptr_array_index(side->runs, i);
		char *key = good(run) ? block_key(run) : NULL;

		if (key)
			once &= g_hash_table_insert(places, key, GUINT_TO_POINTER(i + 1));
	}
	return once;
}

/* Fill the pairs in the order of the base. FALSE if a block has two good runs of a side. */
static gboolean find_pairs(const RigSide *base, const RigSide *head, GArray *base_runs,
			   GArray *head_runs)
{
	g_autoptr(GHashTable) in_base =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GHashTable) in_head =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	gboolean once = index_blocks(base, in_base);

	once &= index_blocks(head, in_head);
	for (guint i = 0; once && i < base->runs->len; i++) {
		const RigSideRun *run = g_ptr_array_index(base->runs, i);
		g_autofree char *key = good(run) ? block_key(run) : NULL;
		guint place = key ? GPOINTER_TO_UINT(g_hash_table_lookup(in_head, key)) : 0;

		if (!place)
			continue;
		place--;
		g_array_append_val(base_runs, i);
		g_array_append_val(head_runs, place);
	}
	return once;
}

static gboolean wants_pairs(const Survey *survey, char **why)
{
	if (survey->unplanned) {
		*why = g_strdup("Welch: there are runs that belong to no plan");
		return FALSE;
	}
	if (survey->method && g_str_equal(survey->method, "welch")) {
		*why = g_strdup("Welch: the plan says so");
		return FALSE;
	}
	if (survey->fewest < RIG_STAT_PAIRED_BLOCKS && g_strcmp0(survey->method, "paired") != 0) {
		*why = g_strdup_printf("Welch: the plan has %u blocks, and pairs pay from %d on",
				       survey->fewest, RIG_STAT_PAIRED_BLOCKS);
		return FALSE;
	}
	return TRUE;
}

static void use_pairs(RigStatPlan *plan, const RigSide *base, const RigSide *head,
		      const Survey *survey)
{
	g_autoptr(GArray) base_runs = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autoptr(GArray) head_runs = g_array_new(FALSE, FALSE, sizeof(guint));
	guint least = MIN(survey->fewest, RIG_STAT_PAIRED_BLOCKS);

	if (!find_pairs(base, head, base_runs, head_runs)) {
		plan->why = g_strdup("Welch: a block has several good runs of one side");
		return;
	}
	if (base_runs->len < least) {
		plan->why =
			g_strdup_printf("Welch: only %u of %u blocks have a good run of both "
					"sides, and pairs pay from %d on",
					base_runs->len, survey->planned, RIG_STAT_PAIRED_BLOCKS);
		return;
	}
	plan->method = RIG_STAT_PAIRED;
	plan->why = g_strdup_printf("paired over %u of %u blocks", base_runs->len, survey->planned);
	plan->n_dropped = plan->base_runs->len + plan->head_runs->len - 2 * base_runs->len;
	g_array_unref(plan->base_runs);
	g_array_unref(plan->head_runs);
	plan->base_runs = g_steal_pointer(&base_runs);
	plan->head_runs = g_steal_pointer(&head_runs);
}

static void take_notes(RigStatPlan *plan, const Survey *survey)
{
	guint seen = g_hash_table_size(survey->blocks), plans = g_hash_table_size(survey->plans);

	if (plan->n_dropped)
		g_ptr_array_add(plan->notes,
				g_strdup_printf("%u good runs are left out: the other run of "
						"their block failed",
						plan->n_dropped));
	if (plans > 1)
		plan->pooled = g_strdup_printf(
			"the runs are of %u plans: if runs were added because of what was seen, p "
			"is too small (--plan ID compares those of one, the latest is %s)",
			plans, survey->newest);
	plan->early = !survey->unplanned && seen < survey->planned;
	if (plan->early)
		g_ptr_array_add(plan->notes,
				g_strdup_printf("%s: %u of %u blocks are there, and a change "
						"is one only below p = 0.001",
						survey->looks ? "a look before the end of the plan"
							      : "the plan is not at its end",
						seen, survey->planned));
}

RigStatPlan *rig_stat_plan_read(const RigSide *base, const RigSide *head)
{
	g_autoptr(GHashTable) blocks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GHashTable) plans = g_hash_table_new(g_str_hash, g_str_equal);
	Survey survey = {.blocks = blocks, .plans = plans};
	RigStatPlan *plan = g_new0(RigStatPlan, 1);

	plan->notes = g_ptr_array_new_with_free_func(g_free);
	plan->base_runs = g_array_new(FALSE, FALSE, sizeof(guint));
	plan->head_runs = g_array_new(FALSE, FALSE, sizeof(guint));
	all_good(base, plan->base_runs);
	all_good(head, plan->head_runs);
	survey_side(&survey, base);
	survey_side(&survey, head);
	survey_sum(&survey);
	if (wants_pairs(&survey, &plan->why))
		use_pairs(plan, base, head, &survey);
	take_notes(plan, &survey);
	return plan;
}

void rig_stat_plan_free(RigStatPlan *plan)
{
	if (!plan)
		return;
	g_free(plan->why);
	g_free(plan->pooled);
	g_array_unref(plan->base_runs);
	g_array_unref(plan->head_runs);
	g_ptr_array_unref(plan->notes);
	g_free(plan);
}
