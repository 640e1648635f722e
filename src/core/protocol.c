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

/* How long the messages of a type are, and what they begin and end with. */
typedef struct Shape
{
	size_t least; /* bytes; of a message with a table: without its elements */
	size_t most;
	size_t count;         /* where the number of elements is */
	size_t element_bytes; /* 0: there is no table */
	bool names_relation;  /* a WaRelation, behind the header */
} Shape;

/* A message of one length. */
#define FIXED(message) .least = sizeof(message), .most = sizeof(message)

/* A message that ends with a table of as many elements as one of its fields says. */
#define TABLE(message, table, number)                                     \
	.least = offsetof(message, table),                                    \
	.most = offsetof(message, table) + sizeof(((message *) NULL)->table), \
	.count = offsetof(message, number),                                   \
	.element_bytes = sizeof(((message *) NULL)->table[0])

/* By WaMessageType; types that there are not have no length. */
static const Shape shapes[] = {
	[WA_MSG_HELLO] = {FIXED(WaSimpleMessage)},
	[WA_MSG_WELCOME] = {FIXED(WaWelcomeMessage)},
	[WA_MSG_ATTACH] = {FIXED(WaSimpleMessage)},
	[WA_MSG_ATTACHED] = {FIXED(WaAttachedMessage)},
	[WA_MSG_REDUCE] = {FIXED(WaReduceMessage)},
	[WA_MSG_RESULT] = {.least = offsetof(WaResultMessage, partial) +
								MIN_PARTIAL_BYTES,
					   .most = offsetof(WaResultMessage, partial) +
							   WA_PARTIAL_MAX_BYTES},
	[WA_MSG_FAILED] = {FIXED(WaFailedMessage)},
	[WA_MSG_HEARTBEAT] = {FIXED(WaSimpleMessage)},
	[WA_MSG_STATUS] = {FIXED(WaSimpleMessage)},
	[WA_MSG_DEVICES] = {TABLE(WaDevicesMessage, device, devices)},
	[WA_MSG_PING] = {FIXED(WaSimpleMessage)},
	[WA_MSG_PONG] = {FIXED(WaPongMessage)},
	[WA_MSG_SETTINGS] = {FIXED(WaSettingsMessage)},
	[WA_MSG_DONE] = {FIXED(WaSimpleMessage)},
	[WA_MSG_SHARE] = {FIXED(WaShareMessage)},
	[WA_MSG_LOAD] = {FIXED(WaLoadMessage)},
	[WA_MSG_RESIDENCY] = {TABLE(WaResidencyMessage, columns, ncolumns)},
	[WA_MSG_RESIDENT] = {TABLE(WaResidentMessage, columns, ncolumns)},
	[WA_MSG_EXTENTS] = {TABLE(WaExtentsMessage, columns, ncolumns),
						.names_relation = true},
	[WA_MSG_CONFIRM] = {FIXED(WaConfirmMessage), .names_relation = true},
	[WA_MSG_UNLOAD] = {FIXED(WaUnloadMessage), .names_relation = true},
	[WA_MSG_LIST] = {FIXED(WaListMessage)},
	[WA_MSG_LISTED] = {FIXED(WaListedMessage)},
	[WA_MSG_RUN] = {TABLE(WaRunMessage, columns, ncolumns)},
	[WA_MSG_ANSWER] = {FIXED(WaAnswerMessage)},
	[WA_MSG_TEXTS] = {FIXED(WaTextsMessage), .names_relation = true},
	[WA_MSG_LISTEN] = {FIXED(WaSimpleMessage)},
	[WA_MSG_RETIRE] = {FIXED(WaSimpleMessage)},
	[WA_MSG_PIN] = {FIXED(WaPinMessage), .names_relation = true},
	[WA_MSG_FOLLOW] = {TABLE(WaFollowMessage, changes, nchanges)},
	[WA_MSG_FOLLOWED] = {FIXED(WaFollowedMessage)},
	[WA_MSG_COVER] = {FIXED(WaCoverMessage)},
	[WA_MSG_STAMPS] = {FIXED(WaStampsMessage)},
	[WA_MSG_KEEP] = {FIXED(WaKeepMessage)},
	[WA_MSG_KEPT] = {FIXED(WaKeptMessage)},
	[WA_MSG_FETCH] = {FIXED(WaFetchMessage)},
	[WA_MSG_BLOCKS] = {FIXED(WaBlocksMessage), .names_relation = true},
};

/* Tells whether a message that ends with a table is as long as it says. */
static bool
table_is_sound(const Shape *shape, const void *bytes, size_t length)
{
	uint32_t count;

	memcpy(&count, (const char *) bytes + shape->count, sizeof(count));
	return length == shape->least + count * shape->element_bytes;
}

/* Tells whether a message, of whose length that is right, may name its relation. */
static bool
relation_is_sound(const void *bytes)
{
	WaRelation relation;

	memcpy(&relation, (const char *) bytes + sizeof(WaHeader),
		   sizeof(relation));
	return wa_relation_is_sound(&relation);
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

bool
wa_message_is_sound(const void *bytes, size_t length)
{
	const Shape *shape;
	WaHeader header;

	if (length < sizeof(header) || length > WA_MAX_MESSAGE_BYTES)
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != WA_PROTOCOL_MAGIC || header.length != length ||
		header.type >= sizeof(shapes) / sizeof(shapes[0]))
		return false;
	shape = &shapes[header.type];
	return length >= shape->least && length <= shape->most &&
		   (shape->element_bytes == 0 ||
			table_is_sound(shape, bytes, length)) &&
		   (!shape->names_relation || relation_is_sound(bytes));
}

bool
wa_reduce_is_sound(const WaReduceMessage *reduce, uint32_t slots,
				   uint64_t slot_bytes)
{
	return reduce->slot < slots && reduce->device <= WA_WANT_GPU &&
		   reduce->type < WA_TYPE_COUNT && reduce->ops != 0 &&
		   (reduce->ops & ~ALL_OPS) == 0 &&
		   reduce->nrows <= slot_bytes / wa_type_width((WaType) reduce->type);
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
	return wa_checksum(0, batch->values,
					   batch->nrows * wa_type_width(batch->type));
}

uint32_t
wa_run_checksum(const WaRunMessage *run, const void *query, const void *sources,
				const void *rest_blocks)
{
	const uint32_t checksum =
		wa_checksum(wa_checksum(0, query, run->query_bytes), sources,
					wa_run_sources_bytes(run->nsources, run->ncolumns));

	return run->has_rest == 0
			   ? checksum
			   : wa_checksum(
					 checksum, rest_blocks,
					 wa_run_words_bytes((const WaRunSource *) sources, 1));
}
