/*
 * attempt.c
 *		Runs what may fail in a subtransaction; see attempt.h.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "scan/base/attempt.h"

struct WaAttempts
{
	MemoryContext memory; /* as it was outside the subtransaction */
	ResourceOwner owner;
	bool is_open; /* there is a subtransaction */
};

/*
 * Tells whether an error may be one of an expression.  An internal error may: functions
 * raise such for arguments as well, as pg_describe_object() does.
 */
static bool
is_of_expression(const ErrorData *error)
{
	switch (ERRCODE_TO_CATEGORY(error->sqlerrcode))
	{
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_OPERATOR_INTERVENTION:
		case ERRCODE_SYSTEM_ERROR:
		case ERRCODE_TRANSACTION_ROLLBACK:
			return false;
		case ERRCODE_INTERNAL_ERROR:
			return error->sqlerrcode == ERRCODE_INTERNAL_ERROR;
		default:
			return true;
	}
}

/* Begins a subtransaction. */
static void
begin(WaAttempts *attempts)
{
	Assert(!IsInParallelMode());
	BeginInternalSubTransaction(NULL);
	attempts->is_open = true;
	MemoryContextSwitchTo(attempts->memory);
}

/* Goes back to what there was outside the subtransaction, which has ended. */
static void
leave(WaAttempts *attempts)
{
	attempts->is_open = false;
	MemoryContextSwitchTo(attempts->memory);
	CurrentResourceOwner = attempts->owner;
}

/* Takes an error, in a memory context, and rolls the subtransaction back. */
static ErrorData *
roll_back(WaAttempts *attempts, MemoryContext memory)
{
	ErrorData *error;

	MemoryContextSwitchTo(memory);
	error = CopyErrorData();
	FlushErrorState();
	if (attempts->is_open)
	{
		RollbackAndReleaseCurrentSubTransaction();
		leave(attempts);
	}
	return error;
}

void
wa_attempts_run(bool keeps_errors,
				void (*run)(WaAttempts *attempts, void *context), void *context)
{
	/* Not on the stack, where what is changed behind PG_TRY may be lost. */
	WaAttempts *const attempts =
		keeps_errors ? palloc(sizeof(WaAttempts)) : NULL;

	if (attempts == NULL)
	{
		run(NULL, context);
		return;
	}
	*attempts = (WaAttempts){CurrentMemoryContext, CurrentResourceOwner, false};
	begin(attempts);
	PG_TRY();
	{
		run(attempts, context);
		ReleaseCurrentSubTransaction();
		leave(attempts);
	}
	PG_CATCH();
	{
		ReThrowError(roll_back(attempts, attempts->memory));
	}
	PG_END_TRY();
	pfree(attempts);
}

bool
wa_attempts_try(WaAttempts *attempts, void (*callback)(void *context),
				void *context)
{
	MemoryContext memory = CurrentMemoryContext;
	volatile bool has_failed = false;

	if (attempts == NULL)
	{
		callback(context);
		return true;
	}
	PG_TRY();
	{
		callback(context);
	}
	PG_CATCH();
	{
		ErrorData *error = roll_back(attempts, memory);

		if (!is_of_expression(error))
			ReThrowError(error);
		FreeErrorData(error);
		begin(attempts);
		MemoryContextSwitchTo(memory);
		has_failed = true;
	}
	PG_END_TRY();
	return !has_failed;
}
