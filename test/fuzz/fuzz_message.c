/*
 * fuzz_message.c
 *		Making messages whose headers are right; see fuzz.h.
 */
#include <string.h>

#include "test/fuzz/fuzz.h"

/* Returns the length of a message that ends with columns, as many as it says. */
#define TABLE_LENGTH(part, array)                                     \
	(part.ncolumns %= sizeof(part.array) / sizeof(part.array[0]) + 1, \
	 (size_t) ((const char *) part.array - (const char *) &(part)) +  \
		 part.ncolumns * sizeof(part.array[0]))

/* Returns the length that is right for a message; sees to it that counts are. */
static size_t
right_length(WaMessage *message, uint32_t type, size_t there)
{
	switch (type)
	{
		case WA_MSG_WELCOME:
			return sizeof(message->welcome);
		case WA_MSG_ATTACHED:
			return sizeof(message->attached);
		case WA_MSG_REDUCE:
			return sizeof(message->reduce);
		case WA_MSG_RESULT:
			return there;
		case WA_MSG_FAILED:
			return sizeof(message->failed);
		case WA_MSG_DEVICES:
			message->devices.devices %= WA_MAX_DEVICES + 1;
			return offsetof(WaDevicesMessage, device) +
				   message->devices.devices * sizeof(WaDeviceInfo);
		case WA_MSG_SETTINGS:
			return sizeof(message->settings);
		case WA_MSG_SHARE:
			return sizeof(message->share);
		case WA_MSG_LOAD:
			return sizeof(message->load);
		case WA_MSG_RESIDENCY:
			return TABLE_LENGTH(message->residency, columns);
		case WA_MSG_RESIDENT:
			return TABLE_LENGTH(message->resident, columns);
		case WA_MSG_STAMPS:
			return sizeof(message->stamps);
		case WA_MSG_BLOCKS:
			return sizeof(message->blocks);
		case WA_MSG_KEEP:
			return sizeof(message->keep);
		case WA_MSG_KEPT:
			return sizeof(message->kept);
		case WA_MSG_FETCH:
			return sizeof(message->fetch);
		case WA_MSG_EXTENTS:
			return TABLE_LENGTH(message->extents, columns);
		case WA_MSG_TEXTS:
			return sizeof(message->texts);
		case WA_MSG_CONFIRM:
			return sizeof(message->confirm);
		case WA_MSG_FOLLOW:
			message->follow.nchanges %= WA_MAX_CHANGES + 1;
			return offsetof(WaFollowMessage, changes) +
				   message->follow.nchanges * sizeof(WaChange);
		case WA_MSG_FOLLOWED:
			return sizeof(message->followed);
		case WA_MSG_PIN:
			return sizeof(message->pin);
		case WA_MSG_UNLOAD:
			return sizeof(message->unload);
		case WA_MSG_LIST:
			return sizeof(message->list);
		case WA_MSG_LISTED:
			return sizeof(message->listed);
		case WA_MSG_RUN:
			return TABLE_LENGTH(message->run, columns);
		case WA_MSG_ANSWER:
			return sizeof(message->answer);
		default:
			return sizeof(message->simple);
	}
}

void
fuzz_message_make(WaMessage *message, uint32_t type, const uint64_t *words,
				  size_t nwords)
{
	const size_t room = sizeof(*message) - sizeof(message->header);
	size_t bytes = nwords * sizeof(uint64_t);

	if (bytes > room)
		bytes = room;
	memset(message, 0, sizeof(*message));
	if (bytes > 0)
		memcpy((char *) message + sizeof(message->header), words, bytes);
	wa_message_begin(
		&message->header, (WaMessageType) type,
		(uint32_t) right_length(message, type, sizeof(message->header) + bytes),
		1);
}
