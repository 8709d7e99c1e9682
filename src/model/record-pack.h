/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record-pack.h - what a comparison needs of a record, as bytes that load fast.
 *
 * A brief record is a record without the samples and without the counters of the phases. Bytes are
 * those of this machine and this version of rig: they are for a cache beside the record, not for
 * exchange.
 */
#pragma once

#include "model/record.h"

/* Append the brief form of RECORD to OUT. FALSE if RECORD is none that rig_record_parse() gives. */
gboolean rig_record_pack(const RigRecord *record, GByteArray *out) G_GNUC_WARN_UNUSED_RESULT;
/* The record again; NULL if DATA is not what rig_record_pack() makes. Anything may be in DATA.
 * *NAMES are the metric names of the record that was unpacked before (NULL: none yet): if this one
 * has the same they are shared, else replaced by its own. g_ptr_array_unref() them in the end. */
RigRecord *rig_record_unpack(const guint8 *data, gsize length,
			     GPtrArray **names) G_GNUC_WARN_UNUSED_RESULT;
