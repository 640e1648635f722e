/*
 * attempt.c
 *		Runs what may fail in a subtransaction; see attempt.h.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "scan/attempt.h"

bool
wa_error_is_of_expression(const ErrorData *error)
{
	switch (ERRCODE_TO_CATEGORY(error->sqlerrcode))
	{
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_OPERATOR_INTERVENTION:
		case ERRCODE_SYSTEM_ERROR:
		case ERRCODE_TRANSACTION_ROLLBACK:
			return false;
		default:
			return true;
	}
}

/* Ends a subtransaction that has failed; raises errors that are not kept. */
static void
end_failed(MemoryContext context, ResourceOwner owner,
		   bool (*is_expected)(const ErrorData *error))
{
	ErrorData *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (!is_expected(error))
		ReThrowError(error);
	FreeErrorData(error);
}

bool
wa_attempt(void (*callback)(void *context), void *context,
		   bool (*is_expected)(const ErrorData *error))
{
	MemoryContext memory = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool has_failed = false;

	Assert(!IsInParallelMode());
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(memory);
	PG_TRY();
	{
		callback(context);
		ReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(memory);
		CurrentResourceOwner = owner;
	}
	PG_CATCH();
	{
		end_failed(memory, owner, is_expected);
		has_failed = true;
	}
	PG_END_TRY();
	return !has_failed;
}
