/*
 * other.c
 *		Columns that are counted, and whose smallest and largest value may be
 *		asked for, but that have no sums.
 */
#include "postgres.h"

#include "state/column.h"

const WaColumnKind wa_other_column = {0};
