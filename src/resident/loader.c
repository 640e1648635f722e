/*
 * loader.c
 *		Transactions of the background worker that loads; see loader.h.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/elog.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "client/client.h"
#include "resident/loader.h"
#include "resident/relation.h"

void
wa_loader_require(void)
{
	StartTransactionCommand();
	wa_client_require();
	CommitTransactionCommand();
}

void
wa_loader_begin(void)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
}

void
wa_loader_end(void)
{
	PopActiveSnapshot();
	CommitTransactionCommand();
}

int
wa_loader_recover(void)
{
	int code;

	HOLD_INTERRUPTS();
	code = geterrcode();
	EmitErrorReport();
	AbortOutOfAnyTransaction();
	FlushErrorState();
	RESUME_INTERRUPTS();
	return code;
}

int
wa_loader_try(void (*action)(void *arg), void *arg)
{
	volatile int code = 0;

	PG_TRY();
	{
		wa_loader_require();
		wa_loader_begin();
		if (action != NULL)
			action(arg);
		wa_loader_end();
	}
	PG_CATCH();
	{
		code = wa_loader_recover();
	}
	PG_END_TRY();
	return code;
}

Relation
wa_loader_open(Oid relid, WaOutcome *outcome)
{
	Relation relation;

	*outcome = WA_OUTCOME_AGAIN;
	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return NULL;
	relation = try_relation_open(relid, NoLock);
	*outcome = relation == NULL ? WA_OUTCOME_GONE : WA_OUTCOME_DONE;
	if (relation == NULL)
		UnlockRelationOid(relid, AccessShareLock);
	else if (wa_resident_refusal(relation) != NULL)
	{
		relation_close(relation, AccessShareLock);
		relation = NULL;
	}
	return relation;
}
