/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counters-table.c - which figure of the kernel is a level and which one counts events.
 *
 * Taken from what the kernel does with each item (is it ever decremented?), Linux 4.19 to 6.18, not
 * from names: nr_dirtied only grows, workingset_nodes goes both ways although its neighbours do
 * not.
 */
#include "model/counters.h"

#include <stdlib.h>
#include <string.h>

/* nr_ names of vmstat that only grow. Sorted. */
static const char *const nr_events[] = {
	"nr_dirtied",
	"nr_foll_pin_acquired",
	"nr_foll_pin_released",
	"nr_throttled_written",
	"nr_tlb_local_flush_all",
	"nr_tlb_local_flush_one",
	"nr_tlb_remote_flush",
	"nr_tlb_remote_flush_received",
	"nr_vmscan_immediate_reclaim",
	"nr_vmscan_write",
	"nr_written",
};

/* nr_ names of vmstat that are levels. Sorted. */
static const char *const nr_gauges[] = {
	"nr_active_anon",
	"nr_active_file",
	"nr_anon_pages",
	"nr_anon_transparent_hugepages",
	"nr_balloon_pages",
	"nr_bounce",
	"nr_dirty",
	"nr_dirty_background_threshold",
	"nr_dirty_threshold",
	"nr_file_hugepages",
	"nr_file_pages",
	"nr_file_pmdmapped",
	"nr_free_cma",
	"nr_free_pages",
	"nr_free_pages_blocks",
	"nr_gpu_active",
	"nr_gpu_reclaim",
	"nr_hugetlb",
	"nr_inactive_anon",
	"nr_inactive_file",
	"nr_indirectly_reclaimable",
	"nr_iommu_pages",
	"nr_isolated_anon",
	"nr_isolated_file",
	"nr_kernel_file_pages",
	"nr_kernel_misc_reclaimable",
	"nr_kernel_stack",
	"nr_mapped",
	"nr_memmap",
	"nr_memmap_boot",
	"nr_memmap_boot_pages",
	"nr_memmap_pages",
	"nr_mlock",
	"nr_page_table_pages",
	"nr_pages_scanned",
	"nr_sec_page_table_pages",
	"nr_shadow_call_stack",
	"nr_shmem",
	"nr_shmem_hugepages",
	"nr_shmem_pmdmapped",
	"nr_slab_reclaimable",
	"nr_slab_unreclaimable",
	"nr_swapcached",
	"nr_unaccepted",
	"nr_unevictable",
	"nr_unstable",
	"nr_vmalloc",
	"nr_writeback",
	"nr_writeback_temp",
	"nr_zone_active_anon",
	"nr_zone_active_file",
	"nr_zone_inactive_anon",
	"nr_zone_inactive_file",
	"nr_zone_unevictable",
	"nr_zone_write_pending",
	"nr_zspages",
};

static int compare(const void *key, const void *item)
{
	return strcmp(key, *(const char *const *)item);
}

static gboolean contains(const char *const *list, gsize count, const char *name)
{
	return bsearch(name, list, count, sizeof(*list), compare) != NULL;
}

static RigCounterKind vmstat_kind(const char *name, gboolean *known)
{
	if (g_str_equal(name, "workingset_nodes"))
		return RIG_COUNTER_GAUGE;
	if (!g_str_has_prefix(name, "nr_") || contains(nr_events, G_N_ELEMENTS(nr_events), name))
		return RIG_COUNTER_EVENTS;
	*known = contains(nr_gauges, G_N_ELEMENTS(nr_gauges), name);
	return RIG_COUNTER_GAUGE;
}

RigCounterKind rig_counter_kind(const char *name, gboolean *known)
{
	gboolean dummy;

	if (!known)
		known = &dummy;
	*known = TRUE;
	if (g_str_has_prefix(name, "proc-vmstat."))
		return vmstat_kind(name + strlen("proc-vmstat."), known);
	if (g_str_has_prefix(name, "numa-vmstat.")) {
		const char *item = strchr(name + strlen("numa-vmstat."), '.');

		return vmstat_kind(item ? item + 1 : name, known);
	}
	if (g_str_has_prefix(name, "meminfo.") || g_str_has_prefix(name, "numa-meminfo."))
		return RIG_COUNTER_GAUGE;
	return RIG_COUNTER_EVENTS;
}
