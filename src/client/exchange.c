/*
 * exchange.c
 *		Requests about resident columns, and their replies; see exchange.h.
 */
#include "postgres.h"

#include "client/client.h"
#include "client/exchange.h"
#include "client/parcel.h"
#include "client/resident.h"
#include "client/trouble.h"
#include "core/checksum.h"

bool
wa_client_reject(bool is_damaged)
{
	if (is_damaged)
		wa_connection_note_damage();
	else
		(void) wa_trouble_note(WA_EXCHANGE_LOST, WA_BAD_REQUEST,
							   "Its reply could not be understood");
	wa_connection_close();
	return false;
}

bool
wa_client_check_reply(const WaMessage *reply, WaMessageType type)
{
	if (reply->header.type == type)
		return true;
	if (reply->header.type != WA_MSG_FAILED)
		return wa_client_reject(false);
	return wa_trouble_note_reply(WA_EXCHANGE_DONE, reply);
}

void
wa_client_copy_out(uint64 offset, void *copy, uint64 bytes, uint32_t *bulk)
{
	memcpy(copy, wa_parcel_memory() + offset, bytes);
	*bulk = wa_checksum(*bulk, copy, bytes);
}

bool
wa_client_may_send(void)
{
	wa_client_guard();
	wa_client_finish();
	if (wa_client_is_engaged())
		return wa_trouble_note(WA_EXCHANGE_DONE, WA_UNSUPPORTED,
							   "It computes another query of this session");
	return wa_connection_state()->open;
}

bool
wa_client_ask(WaMessage *message, WaMessageType type, size_t length,
			  WaMessageType reply_type, WaMessage *reply)
{
	return wa_client_may_send() &&
		   wa_connection_exchange(message, type, length, reply) ==
			   WA_EXCHANGE_DONE &&
		   wa_client_check_reply(reply, reply_type);
}

bool
wa_client_receive(WaMessage *reply)
{
	if (wa_connection_receive(reply) == WA_EXCHANGE_DONE)
		return true;
	wa_connection_close();
	return false;
}
