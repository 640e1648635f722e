/*
 * resident_receive.h
 *		Sending what is asked of the device process, and receiving its answer.
 */
#ifndef WA_SCAN_RESIDENT_RECEIVE_H
#define WA_SCAN_RESIDENT_RECEIVE_H

#include "core/must_check.h"
#include "scan/resident/resident_query.h"
#include "scan/resident/resident_rest.h"

/* What the device process has answered. */
typedef struct WaAnswer
{
	const WaAsking *asking;
	WaAnswerMessage counts;
	uint64_t *used;     /* the blocks that it has used; NULL: all */
	const void *groups; /* unchecked */
	bool has_rest;      /* the other blocks have been read */
} WaAnswer;

/*
 * Sends a query and receives the answer; if the device process lacks a table, again once it
 * has been given it.  rest: reads what it announces that it will not answer for, if the
 * message says so; NULL: nobody does.  Returns false if there is no answer.
 */
extern WA_MUST_CHECK bool wa_resident_receive(const WaWriter *query,
											  WaAsking *asking, WaRest *rest,
											  WaAnswer *answer);

/* Suggests the columns of what was asked, as far as they are not there. */
extern void wa_resident_suggest(const WaAsking *asking);

#endif /* WA_SCAN_RESIDENT_RECEIVE_H */
