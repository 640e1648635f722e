/*
 * column_convert.h
 *		From columns of extents to the forms of flat columns on a GPU.
 */
#ifndef WA_DAEMON_COLUMN_CONVERT_H
#define WA_DAEMON_COLUMN_CONVERT_H

#include "daemon/column/column.h"

/*
 * Finds the form and scale that a flat column has to have to take a column, too,
 * beside what it has.  Returns false if no form can.
 */
bool wa_column_join(WaForm form, uint8_t scale, const WaColumn *column,
					WaForm *joined, uint8_t *joined_scale);

/* Tells whether all values of a column fit into a form that is as wide. */
bool wa_column_fits(const WaColumn *column, WaForm form, uint8_t scale);

/* Tells whether there are rows that do not show `scale` digits. */
bool wa_column_needs_display(const WaColumn *column, uint8_t scale);

/* Writes a column's values, all of which fit, in a form. */
void wa_column_write_values(const WaColumn *column, WaForm form, uint8_t scale,
							void *to);

#endif /* WA_DAEMON_COLUMN_CONVERT_H */
