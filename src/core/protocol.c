/*
 * protocol.c
 *		Checking messages before anything in them is believed.
 */
#include <string.h>

#include "core/protocol.h"

#define ALL_OPS (WA_OP_BIT(WA_OP_COUNT) - 1)

/* A partial of any operations begins with its number of rows. */
#define MIN_PARTIAL_BYTES sizeof(int64_t)

/* Tells whether the bytes are a table of devices of the length it claims. */
static bool
devices_are_sound(const void *bytes, size_t length)
{
	const size_t fixed = offsetof(WaDevicesMessage, device);
	uint32_t devices;

	if (length < fixed)
		return false;
	memcpy(&devices, (const char *) bytes + offsetof(WaDevicesMessage, devices),
		   sizeof(devices));
	return devices <= WA_MAX_DEVICES &&
		   length == fixed + devices * sizeof(WaDeviceInfo);
}

bool
wa_message_is_sound(const void *bytes, size_t length)
{
	const size_t partial = offsetof(WaResultMessage, partial);
	WaHeader header;

	if (length < sizeof(header) || length > WA_MAX_MESSAGE_BYTES)
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != WA_PROTOCOL_MAGIC || header.length != length)
		return false;
	switch (header.type)
	{
		case WA_MSG_HELLO:
		case WA_MSG_ATTACH:
		case WA_MSG_STATUS:
		case WA_MSG_HEARTBEAT:
		case WA_MSG_PING:
		case WA_MSG_PONG:
			return length == sizeof(WaSimpleMessage);
		case WA_MSG_WELCOME:
			return length == sizeof(WaWelcomeMessage);
		case WA_MSG_ATTACHED:
			return length == sizeof(WaAttachedMessage);
		case WA_MSG_REDUCE:
			return length == sizeof(WaReduceMessage);
		case WA_MSG_RESULT:
			return length >= partial + MIN_PARTIAL_BYTES &&
				   length <= partial + WA_PARTIAL_MAX_BYTES;
		case WA_MSG_FAILED:
			return length == sizeof(WaFailedMessage);
		case WA_MSG_DEVICES:
			return devices_are_sound(bytes, length);
		case WA_MSG_SETTINGS:
			return length == sizeof(WaSettingsMessage);
		default:
			return false;
	}
}

/* Tells whether bytes from offset on, aligned to align, lie in the slot. */
static bool
lies_in_slot(uint64_t offset, uint64_t bytes, uint64_t align,
			 uint64_t slot_bytes)
{
	return offset % align == 0 && offset <= slot_bytes &&
		   bytes <= slot_bytes - offset;
}

bool
wa_reduce_is_sound(const WaReduceMessage *reduce, uint32_t slots,
				   uint64_t slot_bytes)
{
	uint64_t width;

	if (reduce->slot >= slots || reduce->device > WA_WANT_GPU ||
		reduce->type >= WA_TYPE_COUNT || reduce->ops == 0 ||
		(reduce->ops & ~ALL_OPS) != 0 || reduce->has_validity > 1)
		return false;
	width = wa_type_width((WaType) reduce->type);
	/* With this, neither of the two lengths below can overflow. */
	if (reduce->nrows > slot_bytes / width)
		return false;
	return lies_in_slot(reduce->values_offset, reduce->nrows * width, width,
						slot_bytes) &&
		   (reduce->has_validity == 0 ||
			lies_in_slot(reduce->validity_offset,
						 wa_validity_bytes(reduce->nrows), sizeof(uint64_t),
						 slot_bytes));
}
