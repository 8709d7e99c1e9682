/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit.c - shrink a topology to what a host can carry: cores, then memory.
 *
 * Sockets, cells and distances never change: they are what the guest's kernel decides by.
 */
#include "model/fit.h"

#include "base/error.h"
#include "base/size.h"

#define MIB (G_GUINT64_CONSTANT(1) << 20)
#define GIB (G_GUINT64_CONSTANT(1) << 30)
#define CELL_VCPUS_MIN 2
#define TCG_CELL_VCPUS 2    /* more of them share the same few host CPUs, and every one boots */
#define TCG_CELL_MEMORY GIB /* so that a run takes seconds */
#define CELL_MEMORY_MIN (256 * MIB)
#define MEMORY_STEP (64 * MIB) /* shrunk cells get round sizes */
#define USABLE(free) ((free) / 4 * 3)

static void note(RigPlacement *placement, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void note(RigPlacement *placement, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_ptr_array_add(placement->notes, g_strdup_vprintf(format, args));
	va_end(args);
}

const RigHostNode *rig_host_node(const RigHost *host, gint id)
{
	for (guint i = 0; i < host->n_nodes; i++)
		if ((gint)host->nodes[i].id == id)
			return &host->nodes[i];
	return NULL;
}

static guint sockets_of(const RigTopology *topology, guint i)
{
	return rig_cpulist_count(topology->cells[i].cpus) / (topology->cores * topology->threads);
}

guint rig_fit_min_vcpus(const RigTopology *topology, guint i, const RigPlacementRequest *request)
{
	guint has = rig_cpulist_count(topology->cells[i].cpus);

	if (has && request->cell_cpus)
		return request->cell_cpus;
	return MAX(MIN(CELL_VCPUS_MIN, has), sockets_of(topology, i));
}

/* vCPUs that the rules allow for cell I. */
static guint cell_limit(const RigPlacement *placement, const RigHost *host,
			const RigPlacementRequest *request, guint i)
{
	const RigTopology *topology = placement->topology;
	guint sockets = sockets_of(topology, i), asked = rig_cpulist_count(topology->cells[i].cpus);
	const RigHostNode *node = rig_host_node(host, placement->host_node[i]);

	if (request->accel == RIG_ACCEL_TCG)
		return request->exact_size ? asked : MIN(asked, MAX(TCG_CELL_VCPUS, sockets));
	if (request->overcommit)
		return asked;
	return node ? rig_cpulist_count(node->cpus) : host->cpus / topology->sockets * sockets;
}

/* Cells stay what they are made of: so many sockets each, the numbers running on. */
static void set_shape(RigTopology *topology, guint cores, guint threads)
{
	guint next = 0;

	for (guint i = 0; i < topology->n_cells; i++) {
		guint count = sockets_of(topology, i) * cores * threads;

		rig_cpulist_free(topology->cells[i].cpus);
		topology->cells[i].cpus = rig_cpulist_new();
		if (count)
			rig_cpulist_add_range(topology->cells[i].cpus, next, next + count - 1);
		next += count;
	}
}

static void reshape(RigTopology *topology, guint cores, guint threads)
{
	set_shape(topology, cores, threads);
	topology->cores = cores;
	topology->threads = threads;
}

/* What the user asked for a cell, as vCPUs a socket. */
static gboolean asked_per_socket(const RigTopology *topology, guint cell_cpus, guint *per_socket,
				 GError **error)
{
	*per_socket = 0;
	for (guint i = 0; i < topology->n_cells; i++) {
		guint sockets = sockets_of(topology, i);

		if (!sockets)
			continue;
		if (cell_cpus % sockets || (*per_socket && *per_socket != cell_cpus / sockets)) {
			rig_error_set(error, RIG_ERROR_USAGE,
				      "topology %s: %u vCPUs a cell do not divide evenly: cell %u "
				      "has %u sockets",
				      topology->name, cell_cpus, i, sockets);
			return FALSE;
		}
		*per_socket = cell_cpus / sockets;
	}
	return TRUE;
}

static gboolean check_host_cpus(const RigTopology *topology, const RigHost *host, guint vcpus,
				const RigPlacementRequest *request, GError **error)
{
	if (request->accel == RIG_ACCEL_TCG || request->overcommit || vcpus <= host->cpus)
		return TRUE;
	rig_error_set_hint(
		error, RIG_ERROR_HOST,
		"allow more vCPUs than host CPUs with --overcommit, or emulate with --accel tcg",
		"topology %s needs at least %u vCPUs, the host has %u CPUs", topology->name, vcpus,
		host->cpus);
	return FALSE;
}

/* Threads that a socket of PER_SOCKET vCPUs may have a core. */
static guint fit_threads(const RigTopology *topology, const RigHost *host,
			 const RigPlacementRequest *request, guint per_socket)
{
	if (request->accel == RIG_ACCEL_KVM && host->lacks_topoext)
		return 1;
	return MIN(topology->threads, per_socket);
}

static gboolean fit_asked_cpus(RigPlacement *placement, const RigHost *host,
			       const RigPlacementRequest *request, GError **error)
{
	RigTopology *topology = placement->topology;
	guint per_socket, threads;

	if (!asked_per_socket(topology, request->cell_cpus, &per_socket, error) ||
	    !check_host_cpus(topology, host, per_socket * topology->sockets, request, error))
		return FALSE;
	threads = fit_threads(topology, host, request, topology->threads);
	if (per_socket % threads)
		threads = 1;
	reshape(topology, per_socket / threads, threads);
	return TRUE;
}

static void note_cores(RigPlacement *placement, const RigHost *host,
		       const RigPlacementRequest *request, guint cores, guint threads)
{
	const RigTopology *old = placement->topology;

	if (request->accel == RIG_ACCEL_KVM && host->lacks_topoext && old->threads > threads)
		note(placement,
		     "one thread a core: this host's CPU (AMD without topoext) cannot tell a guest "
		     "of threads");
	if (cores * threads == old->cores * old->threads)
		return;
	if (request->accel == RIG_ACCEL_TCG)
		note(placement,
		     "%u x %u of %u x %u cores x threads a socket: emulated, at most %u vCPUs a "
		     "cell",
		     cores, threads, old->cores, old->threads, TCG_CELL_VCPUS);
	else
		note(placement, "%u x %u of %u x %u cores x threads a socket: the host has %u CPUs",
		     cores, threads, old->cores, old->threads, host->cpus);
}

static guint min_vcpus(const RigTopology *topology, const RigPlacementRequest *request,
		       guint *per_socket)
{
	guint sum = 0;

	*per_socket = 1;
	for (guint i = 0; i < topology->n_cells; i++) {
		guint sockets = sockets_of(topology, i);
		guint min = rig_fit_min_vcpus(topology, i, request);

		if (sockets)
			*per_socket = MAX(*per_socket, (min + sockets - 1) / sockets);
		sum += min;
	}
	return MAX(sum, *per_socket * topology->sockets);
}

gboolean rig_fit_cpus(RigPlacement *placement, const RigHost *host,
		      const RigPlacementRequest *request, GError **error)
{
	RigTopology *topology = placement->topology;
	guint limit = topology->cores * topology->threads, least, cores, threads;

	if (request->cell_cpus)
		return fit_asked_cpus(placement, host, request, error);
	if (!check_host_cpus(topology, host, min_vcpus(topology, request, &least), request, error))
		return FALSE;
	for (guint i = 0; i < topology->n_cells; i++) {
		guint sockets = sockets_of(topology, i);

		if (sockets)
			limit = MIN(limit, cell_limit(placement, host, request, i) / sockets);
	}
	limit = MIN(MAX(limit, least), topology->cores * topology->threads);
	threads = fit_threads(topology, host, request, limit);
	if (limit == topology->cores * topology->threads && threads == topology->threads)
		return TRUE;
	cores = limit / threads;
	if (threads == topology->threads)
		cores = MIN(topology->cores, cores);
	note_cores(placement, host, request, cores, threads);
	reshape(topology, cores, threads);
	return TRUE;
}

/* Memory: what is wanted of one host node, or of the whole host by cells that are not bound. */
typedef struct {
	gint node; /* -1: the host */
	guint64 usable, free, wanted;
} Pool;

static guint64 free_of(const RigHostNode *node, const RigPlacementRequest *request)
{
	gboolean known = node->free_memory && !request->remote;

	if (request->hugepage == 2 * MIB)
		return (request->remote ? node->hugepages_2m : node->free_hugepages_2m) * 2 * MIB;
	if (request->hugepage == GIB)
		return (request->remote ? node->hugepages_1g : node->free_hugepages_1g) * GIB;
	return known ? node->free_memory : node->memory;
}

static Pool pool_of(const RigPlacement *placement, const RigHost *host,
		    const RigPlacementRequest *request, gint id)
{
	Pool pool = {.node = id};

	for (guint i = 0; i < host->n_nodes; i++)
		if (id < 0 || (gint)host->nodes[i].id == id)
			pool.free += free_of(&host->nodes[i], request);
	pool.usable = request->hugepage ? pool.free : USABLE(pool.free);
	for (guint i = 0; i < placement->topology->n_cells; i++)
		if (placement->host_node[i] == id)
			pool.wanted += placement->topology->cells[i].memory;
	return pool;
}

static char *pool_text(const Pool *pool, const RigPlacementRequest *request)
{
	g_autofree char *where =
		pool->node < 0 ? g_strdup("the host") : g_strdup_printf("host node %d", pool->node);
	g_autofree char *free = rig_size_format(pool->free / MIB * MIB);
	g_autofree char *usable = rig_size_format(pool->usable / MIB * MIB);
	g_autofree char *page = rig_size_format(request->hugepage);

	if (request->hugepage)
		return g_strdup_printf("%s has %s in free hugepages of %s", where, free, page);
	return g_strdup_printf("%s has %s free, of which rig takes at most %s", where, free,
			       usable);
}

static void set_memory_error(const Pool *pool, const RigPlacement *placement,
			     const RigPlacementRequest *request, guint64 wanted, GError **error)
{
	g_autofree char *text = pool_text(pool, request);
	g_autofree char *size = rig_size_format(wanted);
	g_autofree char *hint = NULL;

	if (request->hugepage && pool->node >= 0)
		hint = g_strdup_printf(
			"echo %" G_GUINT64_FORMAT
			" > /sys/devices/system/node/node%d/hugepages/hugepages-%" G_GUINT64_FORMAT
			"kB/nr_hugepages",
			(wanted + request->hugepage - 1) / request->hugepage, pool->node,
			request->hugepage / 1024);
	else if (request->hugepage)
		hint = g_strdup("reserve more hugepages, or leave --hugepages out");
	else
		hint = g_strdup(
			request->exact_size
				? "leave --exact-size out to have it fitted, or free memory on the "
				  "host"
				: "ask for less with --cell-memory, or free memory on the host");
	rig_error_set_hint(error, RIG_ERROR_HOST, hint, "topology %s needs %s: %s",
			   placement->topology->name, size, text);
}

/* The pool that is shortest for what is wanted of it; FALSE when all have enough. */
static gboolean tightest_pool(const RigPlacement *placement, const RigHost *host,
			      const RigPlacementRequest *request, Pool *tightest)
{
	gdouble least = 1.0;

	for (guint i = 0; i < placement->topology->n_cells; i++) {
		Pool pool = pool_of(placement, host, request, placement->host_node[i]);

		if (pool.wanted && (gdouble)pool.usable / pool.wanted < least) {
			least = (gdouble)pool.usable / pool.wanted;
			*tightest = pool;
		}
	}
	return least < 1.0;
}

static gboolean shrink_memory(RigPlacement *placement, const Pool *pool,
			      const RigPlacementRequest *request, GError **error)
{
	gdouble share = (gdouble)pool->usable / pool->wanted;
	guint64 step = MAX(MEMORY_STEP, request->hugepage);
	g_autofree char *text = pool_text(pool, request);

	for (guint i = 0; i < placement->topology->n_cells; i++) {
		RigCell *cell = &placement->topology->cells[i];
		guint64 memory = (guint64)(cell->memory * share) / step * step;

		if (memory < MIN(cell->memory, MAX(CELL_MEMORY_MIN, request->hugepage))) {
			set_memory_error(pool, placement, request, CELL_MEMORY_MIN, error);
			g_prefix_error(error, "cell %u: ", i);
			return FALSE;
		}
		cell->memory = memory;
	}
	note(placement, "memory shrunk to %.0f %%: %s", 100 * share, text);
	return TRUE;
}

static gboolean set_asked_memory(RigTopology *topology, const RigPlacementRequest *request,
				 GError **error)
{
	guint64 page = MAX(request->hugepage, 2 * MIB);
	g_autofree char *text = rig_size_format(request->cell_memory);
	g_autofree char *unit = rig_size_format(page);

	if (request->cell_memory % page) {
		rig_error_set(error, RIG_ERROR_USAGE, "cell memory %s is not a multiple of %s",
			      text, unit);
		return FALSE;
	}
	for (guint i = 0; i < topology->n_cells; i++)
		if (topology->cells[i].memory)
			topology->cells[i].memory = request->cell_memory;
	return TRUE;
}

static void cap_memory(RigPlacement *placement)
{
	gboolean capped = FALSE;

	for (guint i = 0; i < placement->topology->n_cells; i++) {
		RigCell *cell = &placement->topology->cells[i];

		capped |= cell->memory > TCG_CELL_MEMORY;
		cell->memory = MIN(cell->memory, TCG_CELL_MEMORY);
	}
	if (capped)
		note(placement, "at most 1G a cell: emulated, so that a run takes seconds");
}

gboolean rig_fit_memory(RigPlacement *placement, const RigHost *host,
			const RigPlacementRequest *request, GError **error)
{
	Pool pool = {0};

	if (request->cell_memory) {
		if (!set_asked_memory(placement->topology, request, error))
			return FALSE;
	} else if (request->accel == RIG_ACCEL_TCG && !request->exact_size) {
		cap_memory(placement);
	}
	if (!tightest_pool(placement, host, request, &pool))
		return TRUE;
	if (request->cell_memory || request->exact_size) {
		set_memory_error(&pool, placement, request, pool.wanted, error);
		return FALSE;
	}
	return shrink_memory(placement, &pool, request, error);
}
