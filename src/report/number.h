/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * number.h - numbers as text, the same in every locale.
 */
#pragma once

#include <glib.h>

/* FORMAT is one printf conversion of a double ("%10.2f"); the decimal point stays a point whatever
 * the process's locale is. g_free. */
char *rig_number_printf(const char *format, double value) G_GNUC_FORMAT(1);

/* For people: four significant digits below 1000, whole numbers up to 1e9, four digits with an
 * exponent beyond. NaN is "-". g_free. */
char *rig_number_people(double value);

/* The shortest text that reads back as the same double; NaN is "". g_free. */
char *rig_number_exact(double value);
