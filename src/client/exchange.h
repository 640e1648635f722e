/*
 * exchange.h
 *		What requests about resident columns, and their replies, have in common.
 *
 * Where a function returns false, trouble.h tells why.
 */
#ifndef WA_CLIENT_EXCHANGE_H
#define WA_CLIENT_EXCHANGE_H

#include "client/connection.h"
#include "core/must_check.h"

/* Tells whether a message can be sent. */
extern WA_MUST_CHECK bool wa_client_may_send(void);

/* Sends a request and receives a reply of the type. */
extern WA_MUST_CHECK bool wa_client_ask(WaMessage *message, WaMessageType type,
										size_t length, WaMessageType reply_type,
										WaMessage *reply);

/* Waits for a reply to what has been sent. */
extern WA_MUST_CHECK bool wa_client_receive(WaMessage *reply);

/* Looks at a reply; returns false if it is not of the type. */
extern WA_MUST_CHECK bool wa_client_check_reply(const WaMessage *reply,
												WaMessageType type);

/*
 * Copies bulk data out of the parcel, where it may change, and adds it to a checksum,
 * which is *bulk of the data before.
 */
extern void wa_client_copy_out(uint64 offset, void *copy, uint64 bytes,
							   uint32_t *bulk);

#endif /* WA_CLIENT_EXCHANGE_H */
