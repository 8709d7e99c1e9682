/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-why.c - what changes mean together: only what was found, each part in its direction.
 */
#include "report/why.h"

#include "report-sides.h"
#include "report/subject.h"

/* A counter that clearly moves, one that clearly does not, and one that scatters on both sides. */
#define STILL "\"proc-vmstat.pgfree\": [9000, 9010, 9005, 9002, 9007]"
#define UP_BASE "[1000, 1010, 1020, 1005, 1015]"
#define UP_HEAD "[2000, 2010, 2020, 2005, 2015]"
#define LOW_POINTS "[10, 10.5, 11, 10.2, 10.4]"
#define HIGH_POINTS "[30, 30.5, 31, 30.2, 30.4]"

static GPtrArray *find(RigSides *sides, Judged *judged)
{
	*judged = judged_new(sides, NULL);
	return rig_why_find(rig_judgement_stats(judged->judgement, 1), sides);
}

static const RigWhy *at(const GPtrArray *whys, guint i)
{
	g_assert_cmpuint(i, <, whys->len);
	return g_ptr_array_index(whys, i);
}

static RigSides *hugetlb_sides(char class)
{
	RigSides *sides =
		sides_parse("{\"base\": {\"ops\": [100, 101, 102, 100.5, 101.5], " STILL ","
			    "  \"access.locality.hugetlb_remote%\": " LOW_POINTS ","
			    "  \"access.sched.cross_node_migrations\": " UP_BASE "},"
			    " \"head\": {\"ops\": [80, 81, 82, 80.5, 81.5], " STILL ","
			    "  \"access.locality.hugetlb_remote%\": " HIGH_POINTS ","
			    "  \"access.sched.cross_node_migrations\": " UP_HEAD "}}",
			    class);

	sides_own(sides, "ops", "1/s", RIG_HIGHER, RIG_KIND_RATIO, TRUE);
	g_ptr_array_add(sides->phases, g_strdup("copy"));
	g_ptr_array_add(sides->phases, g_strdup("access"));
	return sides;
}

static void test_explains(void)
{
	g_auto(Judged) judged = {0};
	g_autoptr(GPtrArray) whys = find(hugetlb_sides('A'), &judged);

	g_assert_cmpuint(whys->len, ==, 1);
	g_assert_true(at(whys, 0)->explains);
	g_assert_cmpstr(at(whys, 0)->text, ==,
			"ops worse: tasks ran more away from their hugetlb pages, and were moved "
			"between nodes more (phase access: hugetlb_remote% +20.0 pt, "
			"cross_node_migrations +99.0 %)");
}

/* Emulated: the counters are judged, the throughput is not, so nothing is explained. */
static void test_seen(void)
{
	g_auto(Judged) judged = {0};
	g_autoptr(GPtrArray) whys = find(hugetlb_sides('C'), &judged);

	g_assert_cmpuint(whys->len, ==, 1);
	g_assert_false(at(whys, 0)->explains);
	g_assert_true(g_str_has_prefix(at(whys, 0)->text, "tasks ran more away from"));
}

static GPtrArray *find_counters(const char *base, const char *head, Judged *judged)
{
	g_autofree char *text = g_strdup_printf(
		"{\"base\": {" STILL ", %s}, \"head\": {" STILL ", %s}}", base, head);

	return find(sides_parse(text, 'A'), judged);
}

/* One part alone is no reason for a rule of two, nor is one that moved the other way. */
static void test_all_parts(void)
{
	g_auto(Judged) one = {0}, other = {0}, both = {0};
	g_autoptr(GPtrArray) none =
		find_counters("\"proc-vmstat.thp_fault_alloc\": " UP_HEAD,
			      "\"proc-vmstat.thp_fault_alloc\": " UP_BASE, &one);
	g_autoptr(GPtrArray) against =
		find_counters("\"proc-vmstat.thp_fault_alloc\": " UP_HEAD
			      ", \"proc-vmstat.thp_fault_fallback\": " UP_HEAD,
			      "\"proc-vmstat.thp_fault_alloc\": " UP_BASE
			      ", \"proc-vmstat.thp_fault_fallback\": " UP_BASE,
			      &other);
	g_autoptr(GPtrArray) thp = find_counters("\"proc-vmstat.thp_fault_alloc\": " UP_HEAD
						 ", \"proc-vmstat.thp_fault_fallback\": " UP_BASE,
						 "\"proc-vmstat.thp_fault_alloc\": " UP_BASE
						 ", \"proc-vmstat.thp_fault_fallback\": " UP_HEAD,
						 &both);

	g_assert_cmpuint(none->len, ==, 0);
	g_assert_cmpuint(against->len, ==, 0);
	g_assert_cmpuint(thp->len, ==, 1);
	g_assert_nonnull(strstr(at(thp, 0)->text, "fell back to small ones more "
						  "(thp_fault_alloc -49.7 %, thp_fault_fallback"));
}

/* Double the mean, but not by the screen: the runs scatter too much. */
static void test_never_a_guess(void)
{
	g_auto(Judged) judged = {0};
	g_autoptr(GPtrArray) whys =
		find_counters("\"locality.hugetlb_remote%\": [0, 40, 5, 30, 10]",
			      "\"locality.hugetlb_remote%\": [70, 5, 60, 10, 35]", &judged);

	g_assert_cmpuint(whys->len, ==, 0);
}

/* Each rule of one counter, both ways; a counter that appears goes up, one that vanishes down. */
static void test_single_rules(void)
{
	static const struct {
		const char *counter, *base, *head, *text;
	} cases[] = {
		{"locality.hugetlb_remote%", LOW_POINTS, HIGH_POINTS,
		 "ran more away from their huge"},
		{"locality.hugetlb_remote%", HIGH_POINTS, LOW_POINTS, "closer to their hugetlb"},
		{"locality.anon_remote%", LOW_POINTS, HIGH_POINTS, "ran more away from their anon"},
		{"locality.anon_remote%", HIGH_POINTS, LOW_POINTS, "closer to their anonymous"},
		{"locality.hint_faults_local%", HIGH_POINTS, LOW_POINTS, "a smaller share"},
		{"locality.hint_faults_local%", LOW_POINTS, HIGH_POINTS, "a larger share"},
		{"proc-vmstat.compact_stall", UP_BASE, UP_HEAD, "compaction more"},
		{"proc-vmstat.compact_stall", UP_HEAD, UP_BASE, "compaction less"},
		{"proc-vmstat.compact_stall", "[0, 0, 0, 0, 0]", UP_HEAD,
		 "compaction more (compact_stall new)"},
		{"proc-vmstat.compact_stall", UP_HEAD, "[0, 0, 0, 0, 0]",
		 "compaction less (compact_stall gone)"},
		{"proc-vmstat.htlb_buddy_alloc_fail", UP_BASE, UP_HEAD, "buddy allocator"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(Judged) judged = {0};
		g_autofree char *base =
			g_strdup_printf("\"%s\": %s", cases[i].counter, cases[i].base);
		g_autofree char *head =
			g_strdup_printf("\"%s\": %s", cases[i].counter, cases[i].head);
		g_autoptr(GPtrArray) whys = find_counters(base, head, &judged);

		g_assert_cmpuint(whys->len, ==, 1);
		if (!strstr(at(whys, 0)->text, cases[i].text))
			g_error("%s: \"%s\"", cases[i].text, at(whys, 0)->text);
	}
}

/* Rules of two or more counters, each part in its direction. */
static void test_double_rules(void)
{
	static const struct {
		const char *up, *down, *up_too, *text;
	} cases[] = {
		{"locality.anon_remote%", "proc-vmstat.numa_pages_migrated", NULL, "moved fewer"},
		{"proc-vmstat.numa_hint_faults", "proc-vmstat.numa_pages_migrated", NULL,
		 "of which fewer"},
		{"proc-vmstat.numa_pte_updates", NULL, "proc-vmstat.numa_hint_faults",
		 "scanned more"},
		{"sched.nr_migrations", NULL, "sched.cross_node_migrations",
		 "scheduler moved tasks "
		 "more"},
		{"proc-vmstat.numa_miss", NULL, "proc-vmstat.numa_foreign", "the node was full"},
		{"proc-vmstat.thp_fault_alloc", "proc-vmstat.pgfault", NULL, "so fewer faults"},
		{"proc-vmstat.thp_split_pmd", NULL, "proc-vmstat.thp_split_page", "split more"},
		{"proc-vmstat.pgscan_direct", NULL, "proc-vmstat.pgsteal_direct", "reclaim memory"},
		{"proc-vmstat.pgpromote_success", NULL, "proc-vmstat.pgdemote_kswapd", "tiers"},
		{"locality.anon_remote%", NULL, "sched.cross_node_migrations",
		 "anonymous pages, and"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *second = cases[i].down ? cases[i].down : cases[i].up_too;
		gboolean points = g_str_has_suffix(cases[i].up, "%");
		g_auto(Judged) judged = {0};
		g_autofree char *base = g_strdup_printf("\"%s\": %s, \"%s\": %s", cases[i].up,
							points ? LOW_POINTS : UP_BASE, second,
							cases[i].down ? UP_HEAD : UP_BASE);
		g_autofree char *head = g_strdup_printf("\"%s\": %s, \"%s\": %s", cases[i].up,
							points ? HIGH_POINTS : UP_HEAD, second,
							cases[i].down ? UP_BASE : UP_HEAD);
		g_autoptr(GPtrArray) whys = find_counters(base, head, &judged);
		gboolean said = FALSE;

		for (guint w = 0; w < whys->len; w++)
			said |= strstr(at(whys, w)->text, cases[i].text) != NULL;
		if (!said)
			g_error("\"%s\" was not said", cases[i].text);
	}
}

static void test_subjects(void)
{
	static const struct {
		const char *name;
		RigSubject subject;
	} cases[] = {
		{"proc-vmstat.numa_hint_faults", RIG_SUBJECT_NUMA},
		{"numa-numastat.node0.other_node", RIG_SUBJECT_NUMA},
		{"locality.anon_remote%", RIG_SUBJECT_LOCALITY},
		{"sched.nr_migrations", RIG_SUBJECT_SCHEDULER},
		{"sched.numa_pages_migrated", RIG_SUBJECT_SCHEDULER},
		{"proc-vmstat.thp_fault_alloc", RIG_SUBJECT_THP},
		{"meminfo.AnonHugePages", RIG_SUBJECT_THP},
		{"meminfo.HugePages_Surp", RIG_SUBJECT_HUGETLB},
		{"proc-vmstat.htlb_buddy_alloc_success", RIG_SUBJECT_HUGETLB},
		{"proc-vmstat.compact_stall", RIG_SUBJECT_COMPACTION},
		{"proc-vmstat.pgmigrate_success", RIG_SUBJECT_MIGRATION},
		{"numa-vmstat.node0.pgpromote_success", RIG_SUBJECT_MIGRATION},
		{"proc-vmstat.pgscan_direct", RIG_SUBJECT_RECLAIM},
		{"proc-vmstat.pgfault", RIG_SUBJECT_FAULTS},
		{"proc-vmstat.pgalloc_normal", RIG_SUBJECT_ALLOCATOR},
		{"mpstat.cpu.all.sys%", RIG_SUBJECT_CPU},
		{"numa-meminfo.node1.Active", RIG_SUBJECT_MEMORY},
		{"numa-vmstat.node0.nr_active_anon", RIG_SUBJECT_MEMORY},
		{"something.else", RIG_SUBJECT_OTHER},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
		g_assert_cmpstr(rig_subject_title(rig_subject_of(cases[i].name)), ==,
				rig_subject_title(cases[i].subject));
}

static void test_phases(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();

	g_ptr_array_add(sides->phases, g_strdup("access"));
	g_assert_cmpuint(rig_subject_phase(sides, "access.sched.x"), ==, strlen("access."));
	g_assert_cmpuint(rig_subject_phase(sides, "accessed.sched.x"), ==, 0);
	g_assert_cmpuint(rig_subject_phase(sides, "sched.access"), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/why/explains", test_explains);
	g_test_add_func("/why/seen", test_seen);
	g_test_add_func("/why/all-parts", test_all_parts);
	g_test_add_func("/why/never-a-guess", test_never_a_guess);
	g_test_add_func("/why/single-rules", test_single_rules);
	g_test_add_func("/why/double-rules", test_double_rules);
	g_test_add_func("/subject/names", test_subjects);
	g_test_add_func("/subject/phases", test_phases);
	return g_test_run();
}
