/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * number.c - numbers as text, the same in every locale.
 *
 * Reports are pasted into mails and read by scripts: "3,5" in one of them would be another number.
 */
#include "report/number.h"

#include <math.h>

/* Longest output of the conversions in use: "%.0f" of DBL_MAX has 309 digits. */
#define NUMBER_TEXT_MAX 384

char *rig_number_printf(const char *format, double value)
{
	char text[NUMBER_TEXT_MAX];

	g_ascii_formatd(text, sizeof(text), format, value);
	return g_strdup(text);
}

char *rig_number_people(double value)
{
	double size = fabs(value);

	if (!isfinite(value))
		return g_strdup("-");
	if (size == floor(size) && size < 1e9)
		return rig_number_printf("%.0f", value);
	return rig_number_printf(size < 1000 || size >= 1e9 ? "%.4g" : "%.0f", value);
}

char *rig_number_exact(double value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	if (!isfinite(value))
		return g_strdup("");
	/* The shortest of the precisions that survives: 0.1 instead of 0.10000000000000001. */
	for (int digits = 15; digits <= 17; digits++) {
		g_autofree char *format = g_strdup_printf("%%.%dg", digits);

		g_ascii_formatd(text, sizeof(text), format, value);
		if (g_ascii_strtod(text, NULL) == value)
			break;
	}
	return g_strdup(text);
}
