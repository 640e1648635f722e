/*
 * register_range.h
 *		Between which values the integers are that a program computes from columns.
 */
#ifndef WA_SCAN_REGISTER_RANGE_H
#define WA_SCAN_REGISTER_RANGE_H

#include "core/must_check.h"
#include "core/protocol.h"
#include "scan/expr/compile.h"

/* A program, and what is known of its registers. */
typedef struct WaRegisterRanges
{
	const WaCompiler *compiler;
	const WaResidency *columns; /* the first registers; NULL: not known yet */

	/*
	 * The registers, of which those of constants have been computed; NULL: not known yet.
	 */
	const WaVector *constants;
} WaRegisterRanges;

/*
 * Finds between which values an INT register is in rows for which the program does not
 * trap, and how many rows the columns have that it is computed from; as a column that
 * has these is described.  Returns false if that is not known: it is not computed by
 * arithmetic, dates and timestamps alone, or in too many steps.  Where nothing is
 * known of columns or constants yet, the range is wider than it will be.
 */
extern WA_MUST_CHECK bool wa_register_range(const WaRegisterRanges *ranges,
											int number, WaResidency *range);

#endif /* WA_SCAN_REGISTER_RANGE_H */
