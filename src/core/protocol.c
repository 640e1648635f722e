/*
 * protocol.c
 *		Checking messages before anything in them is believed.
 */
#include <string.h>

#include "core/checksum.h"
#include "core/protocol.h"

#define ALL_OPS (WA_OP_BIT(WA_OP_COUNT) - 1)

/* A partial of any operations begins with its number of rows. */
#define MIN_PARTIAL_BYTES sizeof(int64_t)

/*
 * Tells whether the bytes are a message that ends with a table of elements from
 * `fixed` on, at most `most` of them, and as many as a number at count_offset
 * says.
 */
static bool
table_is_sound(const void *bytes, size_t length, size_t fixed,
			   size_t count_offset, size_t element_bytes, uint32_t most)
{
	uint32_t count;

	if (length < fixed)
		return false;
	memcpy(&count, (const char *) bytes + count_offset, sizeof(count));
	return count <= most && length == fixed + count * element_bytes;
}

/* The same of a message by the names of its table and of the number of elements. */
#define TABLE_IS_SOUND(message, table, count, bytes, length)    \
	table_is_sound((bytes), (length), offsetof(message, table), \
				   offsetof(message, count),                    \
				   sizeof(((message *) NULL)->table[0]),        \
				   sizeof(((message *) NULL)->table) /          \
					   sizeof(((message *) NULL)->table[0]))

/* The same of a message whose table is `columns`, ncolumns of them. */
#define COLUMNS_ARE_SOUND(message, bytes, length) \
	TABLE_IS_SOUND(message, columns, ncolumns, bytes, length)

/* Tells whether a message, of whose length that is right, may name its relation. */
static bool
relation_is_sound(const void *bytes)
{
	WaRelation relation;

	memcpy(&relation, (const char *) bytes + sizeof(WaHeader),
		   sizeof(relation));
	return wa_relation_is_sound(&relation);
}

/* Tells whether the length is right for a message about resident columns. */
static bool
resident_length_is_sound(uint32_t type, const void *bytes, size_t length)
{
	switch (type)
	{
		case WA_MSG_SHARE:
			return length == sizeof(WaShareMessage);
		case WA_MSG_LOAD:
			return length == sizeof(WaLoadMessage);
		case WA_MSG_RESIDENCY:
			return COLUMNS_ARE_SOUND(WaResidencyMessage, bytes, length);
		case WA_MSG_RESIDENT:
			return COLUMNS_ARE_SOUND(WaResidentMessage, bytes, length);
		case WA_MSG_EXTENTS:
			return COLUMNS_ARE_SOUND(WaExtentsMessage, bytes, length);
		case WA_MSG_TEXTS:
			return length == sizeof(WaTextsMessage);
		case WA_MSG_CONFIRM:
			return length == sizeof(WaConfirmMessage);
		case WA_MSG_FOLLOW:
			return TABLE_IS_SOUND(WaFollowMessage, changes, nchanges, bytes,
								  length);
		case WA_MSG_FOLLOWED:
			return length == sizeof(WaFollowedMessage);
		case WA_MSG_UNLOAD:
			return length == sizeof(WaUnloadMessage);
		case WA_MSG_PIN:
			return length == sizeof(WaPinMessage);
		case WA_MSG_LIST:
			return length == sizeof(WaListMessage);
		case WA_MSG_LISTED:
			return length == sizeof(WaListedMessage);
		case WA_MSG_RUN:
			return COLUMNS_ARE_SOUND(WaRunMessage, bytes, length);
		case WA_MSG_COVER:
			return length == sizeof(WaCoverMessage);
		case WA_MSG_ANSWER:
			return length == sizeof(WaAnswerMessage);
		default:
			return false;
	}
}

/* Computes the checksum of a message, which has a header at least. */
static uint32_t
message_checksum(const void *bytes, size_t length)
{
	const size_t field = offsetof(WaHeader, checksum);
	const size_t behind = field + sizeof(((WaHeader *) NULL)->checksum);

	return wa_checksum(wa_checksum(0, bytes, field),
					   (const char *) bytes + behind, length - behind);
}

void
wa_message_seal(WaHeader *header)
{
	header->checksum = message_checksum(header, header->length);
}

bool
wa_message_is_intact(const void *bytes, size_t length)
{
	WaHeader header;

	memcpy(&header, bytes, sizeof(header));
	return header.checksum == message_checksum(bytes, length);
}

/* Tells whether a message about resident columns is sound. */
static bool
resident_is_sound(uint32_t type, const void *bytes, size_t length)
{
	if (!resident_length_is_sound(type, bytes, length))
		return false;
	switch (type)
	{
		case WA_MSG_RESIDENCY:
		case WA_MSG_EXTENTS:
		case WA_MSG_TEXTS:
		case WA_MSG_CONFIRM:
		case WA_MSG_UNLOAD:
		case WA_MSG_PIN:
		case WA_MSG_RUN:
			return relation_is_sound(bytes);
		default:
			return true;
	}
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
		case WA_MSG_DONE:
		case WA_MSG_LISTEN:
		case WA_MSG_RETIRE:
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
			return table_is_sound(bytes, length,
								  offsetof(WaDevicesMessage, device),
								  offsetof(WaDevicesMessage, devices),
								  sizeof(WaDeviceInfo), WA_MAX_DEVICES);
		case WA_MSG_PONG:
			return length == sizeof(WaPongMessage);
		case WA_MSG_SETTINGS:
			return length == sizeof(WaSettingsMessage);
		default:
			return resident_is_sound(header.type, bytes, length);
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

/* Tells whether a change names what its kind says, and may be one up to a position. */
static bool
change_is_sound(const WaChange *change, uint64_t to)
{
	if (change->lsn == 0 || change->lsn > to || change->unused != 0)
		return false;
	if (change->kind == WA_CHANGE_FILES)
		return change->relation.tablespace == 0 && change->relation.file == 0 &&
			   change->block == 0;
	return change->kind <= WA_CHANGE_REST &&
		   wa_relation_is_sound(&change->relation);
}

bool
wa_follow_is_sound(const WaFollowMessage *follow)
{
	if (follow->from == 0 || follow->to < follow->from || follow->no_reply > 1)
		return false;
	for (uint32_t i = 0; i < follow->nchanges; i++)
		if (!change_is_sound(&follow->changes[i], follow->to))
			return false;
	return true;
}

bool
wa_snapshot_is_sound(const WaSnapshot *snapshot)
{
	uint64_t before = snapshot->xmin;

	if (snapshot->xmin == 0 || snapshot->xmax < snapshot->xmin ||
		snapshot->nxids > WA_MAX_SNAPSHOT_XIDS)
		return false;
	for (uint32_t i = 0; i < snapshot->nxids; i++)
	{
		const uint64_t xid = snapshot->xids[i];

		if (xid < before || xid >= snapshot->xmax)
			return false;
		before = xid + 1;
	}
	return true;
}

bool
wa_snapshot_settles(const WaSnapshot *snapshot, uint64_t settled,
					uint64_t first_xid, uint64_t last_xid)
{
	if (last_xid < snapshot->xmin)
		return true;
	if (snapshot->xmin < settled || last_xid >= snapshot->xmax)
		return false;
	for (uint32_t i = 0; i < snapshot->nxids; i++)
	{
		const uint64_t xid = snapshot->xids[i];

		if (xid > last_xid)
			break;
		if (xid >= first_xid)
			return false;
	}
	return true;
}

uint32_t
wa_batch_checksum(const WaBatch *batch)
{
	const uint32_t checksum = wa_checksum(
		0, batch->values, batch->nrows * wa_type_width(batch->type));

	return batch->validity == NULL
			   ? checksum
			   : wa_checksum(checksum, batch->validity,
							 wa_validity_bytes(batch->nrows));
}
