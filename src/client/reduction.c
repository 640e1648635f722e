/*
 * reduction.c
 *		Reductions by the device process, one at a time per backend.
 *
 * While the device process works on a batch the backend fills the next one:
 * wa_client_reduce returns as soon as the batch lies in a staging slot, and
 * whatever needs the connection or the result next finishes the reduction.
 * The slot is the copy of the batch that is kept until its result has been
 * merged; if there will be none, the slot is folded here instead.  It stays
 * mapped whatever becomes of warpaggd.
 *
 * A slot must not be held while the session is idle, so aggregates finish
 * before they return a row, and a reduction that nobody wants any more ends
 * with the transaction.
 */
#include "postgres.h"

#include "access/xact.h"

#include "client/client.h"
#include "client/connection.h"
#include "client/outage.h"
#include "client/trouble.h"
#include "settings.h"

/* The reduction that is under way, if any. */
typedef struct UnderWay
{
	bool active;        /* its reply has not been received */
	WaPartial *partial; /* to merge into; NULL: nobody wants it */
	WaOpSet ops;
	WaBatch batch;     /* as it lies in the slot */
	uint32_t checksum; /* of that, when it came to lie there */
	uint32_t slot;
} UnderWay;

static UnderWay under_way = {0};

/* What lacks rows, as they were damaged in their slot; NULL: nothing does. */
static const WaPartial *incomplete = NULL;

/*
 * Ends the connection in the middle of a reduction, whose batch is folded if
 * it is still wanted.  Raises no error: wa_client_finish does if it was damaged.
 */
static void
abandon(void)
{
	if (under_way.active && under_way.partial != NULL)
	{
		if (wa_batch_checksum(&under_way.batch) == under_way.checksum)
			wa_partial_fold(under_way.partial, under_way.ops, &under_way.batch);
		else
			incomplete = under_way.partial;
	}
	under_way.active = false;
	wa_connection_close();
}

/* At the end of a transaction nobody wants what is still under way. */
static void
at_transaction_end(XactEvent event, void *argument)
{
	under_way.partial = NULL;
	if (wa_connection_state()->busy)
		abandon();
	incomplete = NULL;
}

/*
 * An error that ended a wait, or work between a message and its reply, has
 * aborted the subtransaction.  A reduction that is under way may be wanted all
 * the same, by a query outside of it.
 */
static void
at_subtransaction_end(SubXactEvent event, SubTransactionId subxact,
					  SubTransactionId parent, void *argument)
{
	if (event == SUBXACT_EVENT_ABORT_SUB &&
		(wa_connection_state()->waiting ||
		 (wa_connection_state()->busy && !under_way.active)))
		abandon();
}

/* Registers the callbacks, once in the life of the backend. */
void
wa_client_guard(void)
{
	static bool registered = false;

	if (registered)
		return;
	RegisterXactCallback(at_transaction_end, NULL);
	RegisterSubXactCallback(at_subtransaction_end, NULL);
	registered = true;
}

/*
 * Copies the batch into the slot's memory and describes it in the message and
 * in *staged.  Returns false if it is larger than a slot.
 */
static bool
stage(WaReduceMessage *reduce, const WaBatch *batch, WaBatch *staged,
	  uint8_t *memory, size_t slot_bytes)
{
	size_t bytes = batch->nrows * wa_type_width(batch->type);

	reduce->type = (uint32_t) batch->type;
	reduce->nrows = batch->nrows;
	if (bytes > slot_bytes)
		return false;
	memcpy(memory, batch->values, bytes);
	*staged = *batch;
	staged->values = memory;
	return true;
}

/*
 * Puts the batch into a slot and sends the request for it.  On success the
 * reduction is under way, for nobody yet.
 */
static bool
request(WaOpSet ops, const WaBatch *batch)
{
	WaMessage message = {0};
	size_t slot_bytes;
	void *memory;

	wa_client_guard();
	wa_client_finish();
	if (!wa_connection_state()->open) /* it has just failed */
		return wa_client_fall_back(WA_FALLBACK_RESTING);
	if (!wa_connection_attach())
		return wa_client_fail();
	memory = wa_connection_take_slot(&under_way.slot, &slot_bytes);
	if (memory == NULL)
		return wa_client_fall_back(WA_FALLBACK_NO_SLOT);
	if (!stage(&message.reduce, batch, &under_way.batch, memory, slot_bytes))
	{
		wa_connection_free_slot(under_way.slot);
		return wa_client_fall_back(WA_FALLBACK_NO_SLOT);
	}
	message.reduce.slot = under_way.slot;
	message.reduce.device = (uint32_t) wa_device;
	message.reduce.ops = ops;
	message.reduce.delay_ms = (uint32_t) wa_debug_delay_ms;
	under_way.checksum = wa_batch_checksum(&under_way.batch);
	message.header.bulk = under_way.checksum;
	if (!wa_connection_send(&message, WA_MSG_REDUCE, sizeof(message.reduce)))
		return wa_client_fail();
	under_way.active = true;
	under_way.partial = NULL;
	under_way.ops = ops;
	return true;
}

/*
 * Merges the reply into the partial that is waiting for it, if it still is.
 * Returns false, with the failure not yet noted, if it is not a result.
 */
static bool
merge_reply(const WaMessage *reply)
{
	const WaBatch *batch = &under_way.batch;
	WaExactPart exact;
	WaPartial result;

	wa_partial_init(&result, &exact);
	if (reply->header.type != WA_MSG_RESULT ||
		!wa_partial_decode(&result, batch->type, under_way.ops,
						   reply->result.partial,
						   reply->header.length - sizeof(WaHeader)) ||
		result.rows > (int64_t) batch->nrows)
		return false;
	if (under_way.partial != NULL)
		wa_partial_merge(under_way.partial, &result, batch->type,
						 under_way.ops);
	return true;
}

/*
 * Receives the result of the reduction that is under way and merges it into
 * the partial that it was submitted for.  If there is none, the batch is folded
 * into that partial, and after that the failure is noted.
 */
static void
complete(void)
{
	WaMessage reply;

	if (wa_connection_receive(&reply) == WA_EXCHANGE_DONE)
	{
		if (merge_reply(&reply))
		{
			under_way.active = false;
			wa_connection_free_slot(under_way.slot);
			wa_client_recover();
			return;
		}
		(void) wa_trouble_note_reply(WA_EXCHANGE_DONE, &reply);
	}
	abandon();
	(void) wa_client_fail();
}

void
wa_client_reduce(WaPartial *partial, WaOpSet ops, const WaBatch *batch)
{
	if (wa_client_wants(batch->nrows) && request(ops, batch))
	{
		under_way.partial = partial;
		return;
	}
	/* After what is under way: min and max heed the order. */
	wa_client_finish();
	wa_partial_fold(partial, ops, batch);
}

void
wa_client_finish(void)
{
	if (under_way.active)
		complete();
	if (incomplete == NULL)
		return;
	incomplete = NULL;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("values in the staging memory of warpagg were damaged"),
			 errhint("Run the query again.")));
}

bool
wa_client_is_engaged(void)
{
	return wa_connection_state()->open && wa_connection_state()->busy &&
		   !under_way.active;
}

void
wa_client_forget(const WaPartial *partial)
{
	if (under_way.partial == partial)
		under_way.partial = NULL;
	if (incomplete == partial)
		incomplete = NULL;
}
