/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * debian-apt.h - where this host's apt gets packages, for mmdebstrap.
 *
 * rig names no mirror: a host that installs packages knows one, and how to reach it.
 */
#pragma once

#include <gio/gio.h>

/* The host's sources for SUITE, its updates and security fixes, as lines of a sources.list.
 * RIG_ERROR_HOST if there is no apt, or if it has no source for the suite. g_free. */
char *rig_debian_apt_sources(const char *suite, GCancellable *cancellable,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The part of the host's apt.conf that says how to reach a mirror (proxies, how old an index may
 * be), as text of an apt.conf. g_free. */
char *rig_debian_apt_options(GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
