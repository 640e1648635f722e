/*
 * client.h
 *		What the rest of the backend asks of the device process.
 */
#ifndef WA_CLIENT_CLIENT_H
#define WA_CLIENT_CLIENT_H

#include "core/must_check.h"
#include "core/partial.h"
#include "core/protocol.h"

/*
 * Sees to it that the device process is being started, and connected to, once
 * a session and without waiting.  With warpagg.device = gpu it waits until a
 * GPU is ready, or raises an error if there is none or it does not get ready in
 * time.
 */
extern void wa_client_begin(void);

/*
 * Waits until the device process is ready, for what cannot be done without it;
 * raises an error if it does not get ready in time, or if the session is in the middle of
 * a query there.
 */
extern void wa_client_require(void);

/*
 * Tells whether the device process is ready for a query, connecting to it if need
 * be.  Never waits for it to start, and raises no error.
 */
extern bool wa_client_is_ready(void);

/*
 * Tells whether a batch of nrows should go to the device process, connecting
 * to it if need be.  Under "auto" and "cpu" it never waits for the process to
 * start.  Raises errors only under "gpu".
 */
extern bool wa_client_wants(size_t nrows);

/*
 * Reduces the batch into *partial, as wa_partial_fold does, whose rows all came before those
 * of the batch: in the device process if the batch is worth it, else here.  That it fails
 * there is counted, and warned of once per outage; under "gpu" it is an error.
 *
 * The result is not waited for: the batch's memory can be used again at once, and *partial
 * must stay where it is, untouched, until wa_client_finish; whoever frees it before calls
 * wa_client_forget.  If the device process then fails, the copy that it has been given is
 * folded into *partial; nothing is lost.
 */
extern void wa_client_reduce(WaPartial *partial, WaOpSet ops,
							 const WaBatch *batch);

/*
 * Completes what has been submitted, if anything has.  Due before a partial is looked at,
 * and before control returns to the user: a session must not hold a staging slot while it
 * is idle.
 */
extern void wa_client_finish(void);

/*
 * Tells whether the connection is in the middle of a query (client/resident.h), so that
 * nothing else can be asked.
 */
extern bool wa_client_is_engaged(void);

/* Tells that *partial is going away; what is under way for it is dropped. */
extern void wa_client_forget(const WaPartial *partial);

/*
 * Sees to it that whatever messages an error leaves unanswered, the connection
 * ends with the (sub)transaction.  To be called before the first is sent.
 */
extern void wa_client_guard(void);

/*
 * Fetches the table of devices into *reply.  Returns false if there is no
 * device process, having seen to it that one is being started.
 */
extern WA_MUST_CHECK bool wa_client_devices(WaMessage *reply);

/*
 * Returns the cluster's counters, also while the device process is silent; NULL if they
 * cannot be found.
 */
extern const WaCounters *wa_client_counters(void);

/* How the device process is seen to by its supervisor. */
typedef enum WaSupervision
{
	WA_SUPERVISION_NONE = 0, /* there is none, or it is not at work */
	WA_SUPERVISION_FOREIGN,  /* by one of another version */
	WA_SUPERVISION_DOWN,     /* there is no device process, but will be */
	WA_SUPERVISION_SILENT,   /* it does not answer */
	WA_SUPERVISION_UP
} WaSupervision;

/*
 * Tells what the supervisor says of the device process, all 0 if nothing, without
 * asking that.  Has a supervisor started if there is none.
 */
extern WaSupervision wa_client_condition(WaConditionFields *fields);

#endif /* WA_CLIENT_CLIENT_H */
