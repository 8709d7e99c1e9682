/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-record.c - any bytes as a packed record.
 *
 * The first byte chooses: a record.json, which is packed and must come back as it was but for the
 * counters of its phases; or the bytes themselves, of which anything that is taken must pack again
 * to what reads the same.
 */
#include "model/record-pack.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void drop_counters(RigRecord *record)
{
	for (guint i = 0; i < record->phases->len; i++) {
		RigPhase *phase = g_ptr_array_index(record->phases, i);

		rig_metrics_free(phase->counters);
		phase->counters = rig_metrics_new();
	}
}

static void check_back(const RigRecord *record)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(GPtrArray) names = NULL;
	g_autoptr(RigRecord) again = NULL;
	g_autofree char *text = rig_record_to_json(record), *text_again = NULL;

	g_assert_true(rig_record_pack(record, bytes));
	again = rig_record_unpack(bytes->data, bytes->len, &names);
	g_assert_nonnull(again);
	text_again = rig_record_to_json(again);
	g_assert_cmpstr(text, ==, text_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GPtrArray) names = NULL;
	g_autoptr(RigRecord) record = NULL;

	if (size && data[0] == '{') {
		g_autofree char *text = g_strndup((const char *)data, size);

		record = rig_record_parse("x", text, NULL);
		if (record)
			drop_counters(record);
	} else if (size) {
		record = rig_record_unpack(data + 1, size - 1, &names);
	}
	if (record)
		check_back(record);
	return 0;
}
