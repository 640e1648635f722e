/*
 * support.c
 *		The planner's support function of the aggregates' transition functions.
 *
 * The planner calls it to learn what an aggregate costs, which it does before it
 * looks for hooks.  That loads the library, and installs the hook of the scan
 * tier, in sessions that have not used warpagg yet.
 */
#include "postgres.h"

#include "fmgr.h"

PG_FUNCTION_INFO_V1(warpagg_support);

/*
 * warpagg_support(internal) returns internal: answers no request.
 */
Datum
warpagg_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(NULL);
}
