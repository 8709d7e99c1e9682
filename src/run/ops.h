/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ops.h - the one seam: what the engine needs of a guest.
 *
 * guestops.c fills it with real guests of vm/; the engine's tests with guests that crash, hang, lie or
 * babble. HANDLE is what up() returned.
 */
#pragma once

#include "model/raw.h"

typedef void (*RigPhaseFn)(const char *phase, gpointer data);

typedef struct {
	guint side;	   /* index of the side to boot */
	guint order;	   /* place in the plan: part of the guest's name */
	const char *job;   /* JSON */
	int timeout_ms;	   /* for the job, before scaling */
} RigOpsRequest;

typedef struct {
	/* A fresh guest of a side, agent ready. NULL with the error that becomes the run's outcome. */
	gpointer (*up)(gpointer data, const RigOpsRequest *request, GError **error);
	/* The job in it. */
	RigRawRun *(*run)(gpointer data, gpointer handle, const RigOpsRequest *request, RigPhaseFn phase,
			  gpointer phase_data, GError **error);
	/* char* -> char* of the guest (new reference), the console's path and the domain's XML (g_free, may be NULL), its class. */
	GHashTable *(*manifest)(gpointer data, gpointer handle);
	char *(*console)(gpointer data, gpointer handle);
	char *(*domain_xml)(gpointer data, gpointer handle);
	/* Where the console of a guest that did not come up was kept (g_free), NULL if nowhere. */
	char *(*failed_console)(gpointer data, const RigOpsRequest *request);
	/* The memory dump of a guest that broke (g_free), NULL if there is none. HANDLE is NULL for a guest that did
	 * not come up. */
	char *(*dump)(gpointer data, gpointer handle, const RigOpsRequest *request);
	char (*class)(gpointer data, gpointer handle);
	/* Take it away, always; also after a failure of run. */
	void (*down)(gpointer data, gpointer handle);
} RigGuestOps;
