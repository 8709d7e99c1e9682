/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interrupt.h - SIGINT and SIGTERM turned into a cancelled GCancellable.
 */
#pragma once

#include <gio/gio.h>

/* Block both signals in this thread and all later ones, and start the thread that waits for them. To be called
 * first thing in main. The cancellable is cancelled once; later signals only say that the tear-down is under way.
 * RIG_ERROR_HOST where there is no memory for a thread. */
GCancellable *rig_interrupt_start(GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The signal that came, 0 if none. */
int rig_interrupt_signal(void);
