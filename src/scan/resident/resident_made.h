/*
 * resident_made.h
 *		Having the device process make look-up tables of the rows of a query, which it keeps.
 */
#ifndef WA_SCAN_RESIDENT_MADE_H
#define WA_SCAN_RESIDENT_MADE_H

#include "core/must_check.h"
#include "scan/resident/resident_query.h"

/*
 * Tells whether the device process may have what makes tables of the rows of a query, over
 * one table; what it lacks is loaded soon.
 */
extern WA_MUST_CHECK bool wa_resident_may_make(const WaScanQuery *query,
											   WaScanSources *sources);

/*
 * Has the rows of a query become tables with the digests (query/message/query.h), of which
 * there are as many as keys; the econtext is for what is computed once.  is_unique: no two
 * rows have the first key.  rest: rows of blocks that are not resident, which have fulfilled
 * WHERE; NULL: none.  Returns how many rows have become entries; or -1 if the device
 * process has not made the tables, as not all that the snapshot sees is resident, or for
 * another reason.  What it lacks is loaded soon.
 */
extern WA_MUST_CHECK int64 wa_resident_make(
	const WaScanQuery *query, WaScanSources *sources, ExprContext *econtext,
	const WaTableDigest *digests, bool is_unique, const WaRestRows *rest);

#endif /* WA_SCAN_RESIDENT_MADE_H */
