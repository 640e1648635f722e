/*
 * test_protocol.c
 *		What wa_message_is_sound and its likes let pass, and what snapshots settle.
 */
#include <stdio.h>
#include <string.h>

#include "core/protocol.h"
#include "test/unit/check.h"

#define SLOTS      ((uint32_t) 4)
#define SLOT_BYTES ((uint64_t) 8192)

/* The fixed length of every message type; 0: varies, or no such type. */
static const size_t lengths[] = {
	[WA_MSG_HELLO] = sizeof(WaSimpleMessage),
	[WA_MSG_WELCOME] = sizeof(WaWelcomeMessage),
	[WA_MSG_ATTACH] = sizeof(WaSimpleMessage),
	[WA_MSG_ATTACHED] = sizeof(WaAttachedMessage),
	[WA_MSG_REDUCE] = sizeof(WaReduceMessage),
	[WA_MSG_FAILED] = sizeof(WaFailedMessage),
	[WA_MSG_HEARTBEAT] = sizeof(WaSimpleMessage),
	[WA_MSG_STATUS] = sizeof(WaSimpleMessage),
	[WA_MSG_PING] = sizeof(WaSimpleMessage),
	[WA_MSG_PONG] = sizeof(WaPongMessage),
	[WA_MSG_SETTINGS] = sizeof(WaSettingsMessage),
	[WA_MSG_DONE] = sizeof(WaSimpleMessage),
	[WA_MSG_SHARE] = sizeof(WaShareMessage),
	[WA_MSG_LOAD] = sizeof(WaLoadMessage),
	[WA_MSG_TEXTS] = sizeof(WaTextsMessage),
	[WA_MSG_CONFIRM] = sizeof(WaConfirmMessage),
	[WA_MSG_FOLLOWED] = sizeof(WaFollowedMessage),
	[WA_MSG_UNLOAD] = sizeof(WaUnloadMessage),
	[WA_MSG_PIN] = sizeof(WaPinMessage),
	[WA_MSG_LIST] = sizeof(WaListMessage),
	[WA_MSG_LISTED] = sizeof(WaListedMessage),
	[WA_MSG_COVER] = sizeof(WaCoverMessage),
	[WA_MSG_STAMPS] = sizeof(WaStampsMessage),
	[WA_MSG_KEEP] = sizeof(WaKeepMessage),
	[WA_MSG_KEPT] = sizeof(WaKeptMessage),
	[WA_MSG_BLOCKS] = sizeof(WaBlocksMessage),
	[WA_MSG_FETCH] = sizeof(WaFetchMessage),
	[WA_MSG_ANSWER] = sizeof(WaAnswerMessage),
	[WA_MSG_LISTEN] = sizeof(WaSimpleMessage),
	[WA_MSG_RETIRE] = sizeof(WaSimpleMessage),
};

/* Where tables of columns are in the messages that have one. */
static const struct
{
	WaMessageType type;
	size_t count_offset;
	size_t fixed;
	size_t element_bytes;
	uint32_t most;
} tables[] = {
	{WA_MSG_RESIDENCY, offsetof(WaResidencyMessage, ncolumns),
	 offsetof(WaResidencyMessage, columns), sizeof(WaColumnName),
	 WA_MAX_QUERY_COLUMNS},
	{WA_MSG_RESIDENT, offsetof(WaResidentMessage, ncolumns),
	 offsetof(WaResidentMessage, columns), sizeof(WaResidency),
	 WA_MAX_QUERY_COLUMNS},
	{WA_MSG_EXTENTS, offsetof(WaExtentsMessage, ncolumns),
	 offsetof(WaExtentsMessage, columns), sizeof(WaColumnName),
	 WA_MAX_RESIDENT_COLUMNS},
	{WA_MSG_FOLLOW, offsetof(WaFollowMessage, nchanges),
	 offsetof(WaFollowMessage, changes), sizeof(WaChange), WA_MAX_CHANGES},
	{WA_MSG_RUN, offsetof(WaRunMessage, ncolumns),
	 offsetof(WaRunMessage, columns), sizeof(WaColumnName),
	 WA_MAX_QUERY_COLUMNS},
};

#define NTABLES (sizeof(tables) / sizeof(tables[0]))

/* Tells whether messages of a type begin with the name of a relation. */
static bool
is_about_relation(uint32_t type)
{
	return type == WA_MSG_EXTENTS || type == WA_MSG_TEXTS ||
		   type == WA_MSG_CONFIRM || type == WA_MSG_UNLOAD ||
		   type == WA_MSG_PIN || type == WA_MSG_BLOCKS;
}

/* Whether a message is sound that says of itself what it is. */
static bool
is_sound(uint32_t type, size_t length)
{
	const WaRelation relation = {1, 2, 3};
	uint8_t bytes[WA_MAX_MESSAGE_BYTES + 64];
	WaHeader header;

	memset(bytes, 0, sizeof(bytes));
	if (is_about_relation(type))
		memcpy(bytes + sizeof(header), &relation, sizeof(relation));
	wa_message_begin(&header, (WaMessageType) type, (uint32_t) length, 1);
	memcpy(bytes, &header, sizeof(header));
	return wa_message_is_sound(bytes, length);
}

/* Tells whether messages of the type have no fixed length. */
static bool
length_varies(uint32_t type)
{
	for (size_t i = 0; i < NTABLES; i++)
		if (type == tables[i].type)
			return true;
	return type == WA_MSG_RESULT || type == WA_MSG_DEVICES;
}

/* Every type at every length. */
static bool
test_fixed_lengths(void)
{
	for (uint32_t type = 0; type < 40; type++)
	{
		size_t right =
			type < sizeof(lengths) / sizeof(lengths[0]) ? lengths[type] : 0;

		if (length_varies(type))
			continue;
		for (size_t length = 0; length < WA_MAX_MESSAGE_BYTES + 64; length++)
			EXPECT(is_sound(type, length) == (right != 0 && length == right));
	}
	EXPECT(!is_sound(UINT32_MAX, sizeof(WaSimpleMessage)));
	EXPECT(!is_sound(WA_MSG_HELLO + 256, sizeof(WaSimpleMessage)));
	return true;
}

static bool
test_result_lengths(void)
{
	size_t fixed = offsetof(WaResultMessage, partial);

	for (size_t length = 0; length < WA_MAX_MESSAGE_BYTES + 64; length++)
		EXPECT(is_sound(WA_MSG_RESULT, length) ==
			   (length >= fixed + 8 && length <= fixed + WA_PARTIAL_MAX_BYTES));
	return true;
}

static bool
test_devices_lengths(void)
{
	WaDevicesMessage message;
	size_t fixed = offsetof(WaDevicesMessage, device);

	memset(&message, 0, sizeof(message));
	for (uint32_t devices = 0; devices < WA_MAX_DEVICES + 3; devices++)
	{
		message.devices = devices;
		for (size_t length = 0; length <= sizeof(message); length++)
		{
			wa_message_begin(&message.header, WA_MSG_DEVICES, (uint32_t) length,
							 0);
			EXPECT(wa_message_is_sound(&message, length) ==
				   (devices <= WA_MAX_DEVICES &&
					length == fixed + devices * sizeof(WaDeviceInfo)));
		}
	}
	message.devices = UINT32_MAX;
	wa_message_begin(&message.header, WA_MSG_DEVICES, sizeof(message), 0);
	EXPECT(!wa_message_is_sound(&message, sizeof(message)));
	return true;
}

/* Every number of columns at every length. */
static bool
test_columns_lengths(void)
{
	WaMessage message;

	for (size_t i = 0; i < NTABLES; i++)
		for (uint32_t columns = 0; columns < WA_MAX_QUERY_COLUMNS + 3;
			 columns++)
		{
			const size_t right =
				tables[i].fixed + columns * tables[i].element_bytes;

			memset(&message, 0, sizeof(message));
			if (is_about_relation(tables[i].type))
				message.extents.relation = (WaRelation){1, 2, 3};
			memcpy((char *) &message + tables[i].count_offset, &columns,
				   sizeof(columns));
			for (size_t length = 0; length <= sizeof(message); length++)
			{
				wa_message_begin(&message.header, tables[i].type,
								 (uint32_t) length, 0);
				EXPECT(wa_message_is_sound(&message, length) ==
					   (columns <= tables[i].most && length == right));
			}
		}
	return true;
}

static bool
test_header(void)
{
	WaSimpleMessage message;
	uint8_t shifted[sizeof(message) + 1];

	memset(&message, 0, sizeof(message));
	wa_message_begin(&message.header, WA_MSG_HELLO, sizeof(message), 3);
	EXPECT(wa_message_is_sound(&message, sizeof(message)));
	memcpy(shifted + 1, &message, sizeof(message));
	EXPECT(wa_message_is_sound(shifted + 1, sizeof(message)));
	for (int bit = 0; bit < 32; bit++)
	{
		WaSimpleMessage changed = message;

		changed.header.magic ^= (uint32_t) 1 << bit;
		EXPECT(!wa_message_is_sound(&changed, sizeof(changed)));
		changed = message;
		changed.header.length ^= (uint32_t) 1 << bit;
		EXPECT(!wa_message_is_sound(&changed, sizeof(changed)));
		changed = message;
		changed.header.request ^= (uint32_t) 1 << bit;
		EXPECT(wa_message_is_sound(&changed, sizeof(changed)));
	}
	return true;
}

/* No name of a relation's storage is 0, in any message that has one. */
static bool
test_relations(void)
{
	WaMessage message;

	for (uint32_t type = 0; type < 40; type++)
	{
		if (!is_about_relation(type))
			continue;
		for (int which = 0; which < 8; which++)
		{
			uint32_t length = 0;

			memset(&message, 0, sizeof(message));
			message.extents.relation = (WaRelation){
				(which & 1) != 0, (which & 2) != 0, (which & 4) != 0};
			/* Whichever length is right without columns. */
			for (length = 0; length < sizeof(message); length++)
			{
				wa_message_begin(&message.header, (WaMessageType) type, length,
								 0);
				if (wa_message_is_sound(&message, length))
					break;
			}
			EXPECT((length < sizeof(message)) == (which == 7));
		}
	}
	return true;
}

/* Each bit of a message counts, and nothing else does. */
static bool
test_seal(void)
{
	struct
	{
		WaMessage message;
		uint8_t behind;
	} sent;

	memset(&sent, 0x5a, sizeof(sent));
	for (uint32_t length = sizeof(WaHeader); length < 300; length += 31)
	{
		wa_message_begin(&sent.message.header, WA_MSG_RUN, length, 3);
		wa_message_seal(&sent.message.header);
		EXPECT(wa_message_is_intact(&sent, length));
		((uint8_t *) &sent)[length] ^= 1;
		EXPECT(wa_message_is_intact(&sent, length));
		for (uint32_t bit = 0; bit < 8 * length; bit++)
		{
			const uint8_t mask = (uint8_t) (1 << bit % 8);

			((uint8_t *) &sent)[bit / 8] ^= mask;
			EXPECT(!wa_message_is_intact(&sent, length));
			((uint8_t *) &sent)[bit / 8] ^= mask;
		}
	}
	return true;
}

/* A request that is sound. */
static WaReduceMessage
good_request(void)
{
	WaReduceMessage reduce;

	memset(&reduce, 0, sizeof(reduce));
	wa_message_begin(&reduce.header, WA_MSG_REDUCE, sizeof(reduce), 1);
	reduce.type = WA_INT8;
	reduce.ops = WA_OP_BIT(WA_OP_SUM);
	reduce.nrows = 10;
	return reduce;
}

/* Tells whether the request is sound for the usual geometry. */
static bool
passes(WaReduceMessage reduce)
{
	return wa_reduce_is_sound(&reduce, SLOTS, SLOT_BYTES);
}

static bool
test_reduce_enumerations(void)
{
	WaReduceMessage reduce = good_request();

	EXPECT(passes(reduce));
	for (reduce.slot = 0; reduce.slot < 2 * SLOTS; reduce.slot++)
		EXPECT(passes(reduce) == (reduce.slot < SLOTS));
	reduce.slot = UINT32_MAX;
	EXPECT(!passes(reduce));
	reduce.slot = 0;
	EXPECT(!wa_reduce_is_sound(&reduce, 0, SLOT_BYTES));
	for (reduce.type = 0; reduce.type < 300; reduce.type++)
		EXPECT(passes(reduce) == (reduce.type < WA_TYPE_COUNT));
	reduce = good_request();
	for (reduce.device = 0; reduce.device < 300; reduce.device++)
		EXPECT(passes(reduce) == (reduce.device <= WA_WANT_GPU));
	reduce = good_request();
	for (reduce.ops = 0; reduce.ops < 300; reduce.ops++)
		EXPECT(passes(reduce) ==
			   (reduce.ops != 0 && reduce.ops < WA_OP_BIT(WA_OP_COUNT)));
	reduce.ops = UINT32_MAX;
	EXPECT(!passes(reduce));
	reduce.ops = WA_OP_BIT(WA_OP_SUM) | (uint32_t) 1 << 31;
	EXPECT(!passes(reduce));
	return true;
}

/* Values of every type, of every length around the end. */
static bool
test_reduce_values(void)
{
	WaReduceMessage reduce = good_request();

	for (reduce.type = 0; reduce.type < WA_TYPE_COUNT; reduce.type++)
	{
		const uint64_t room = SLOT_BYTES / wa_type_width((WaType) reduce.type);

		for (reduce.nrows = room - 3; reduce.nrows < room + 3; reduce.nrows++)
			EXPECT(passes(reduce) == (reduce.nrows <= room));
	}
	return true;
}

static bool
test_reduce_overflow(void)
{
	WaReduceMessage reduce = good_request();

	for (int shift = 40; shift < 64; shift++)
		for (int64_t slack = -2; slack <= 2; slack++)
			for (reduce.type = 0; reduce.type < WA_TYPE_COUNT; reduce.type++)
			{
				uint64_t huge = ((uint64_t) 1 << shift) + (uint64_t) slack;

				reduce.nrows = huge;
				EXPECT(!passes(reduce));
				reduce.nrows = 0 - huge;
				EXPECT(!passes(reduce));
			}
	return true;
}

/* A message is one datagram, whatever it is. */
/* What a FOLLOW may say, and what not. */
static bool
test_follow(void)
{
	static WaFollowMessage good;
	static WaFollowMessage follow;

	good.from = 100;
	good.to = 200;
	good.nchanges = WA_MAX_CHANGES;
	for (uint32_t i = 0; i < WA_MAX_CHANGES; i++)
		good.changes[i] = (WaChange){.relation = {1, 2, 3},
									 .block = i,
									 .kind = i % 2,
									 .lsn = 1 + i % 200};
	good.changes[7] =
		(WaChange){.relation = {.database = 2}, .kind = 2, .lsn = 101};
	good.changes[8] = (WaChange){.kind = 2, .lsn = 101};

#define SOUND(change) (follow = good, change, wa_follow_is_sound(&follow))
	EXPECT(SOUND((void) 0));
	EXPECT(SOUND(follow.to = 200));
	EXPECT(!SOUND(follow.from = 0));
	EXPECT(!SOUND(follow.from = 201));
	EXPECT(!SOUND(follow.to = 199));
	for (uint32_t i = 0; i < WA_MAX_CHANGES; i++)
	{
		const bool is_files = i == 7 || i == 8;

		EXPECT(!SOUND(follow.changes[i].lsn = 0));
		EXPECT(SOUND(follow.changes[i].lsn = 200));
		EXPECT(!SOUND(follow.changes[i].lsn = 201));
		EXPECT(!SOUND(follow.changes[i].unused = 1));
		EXPECT(!SOUND(follow.changes[i].kind = 3));
		EXPECT(SOUND(follow.changes[i].relation.tablespace = 0) == is_files);
		EXPECT(SOUND(follow.changes[i].relation.database = 0) == is_files);
		EXPECT(SOUND(follow.changes[i].relation.file = 7) != is_files);
		EXPECT(SOUND(follow.changes[i].block = 7) != is_files);
	}
#undef SOUND
	return true;
}

/* What a snapshot may be, and what not. */
static bool
test_snapshot(void)
{
	const WaSnapshot good = {
		.xmin = 10, .xmax = 20, .nxids = 3, .xids = {10, 15, 19}};
	WaSnapshot snapshot;

#define SOUND(change) (snapshot = good, change, wa_snapshot_is_sound(&snapshot))
	EXPECT(SOUND((void) 0));
	EXPECT(!SOUND(snapshot.xmin = 0));
	EXPECT(!SOUND(snapshot.xmin = 11));
	EXPECT(!SOUND(snapshot.xmax = 19));
	EXPECT(!SOUND(snapshot.xids[0] = 15));
	EXPECT(!SOUND(snapshot.xids[1] = 19));
	EXPECT(!SOUND(snapshot.nxids = 4));
	EXPECT(!SOUND(snapshot.nxids = WA_MAX_SNAPSHOT_XIDS + 1));
	EXPECT(!SOUND(snapshot.nxids = UINT32_MAX));
	EXPECT(SOUND(snapshot.xids[3] = 3));
	EXPECT(SOUND((snapshot.nxids = 0, snapshot.xmax = 10)));
	EXPECT(!SOUND((snapshot.nxids = 0, snapshot.xmax = 9)));
#undef SOUND
	return true;
}

/* Tells whether a transaction has ended for a snapshot. */
static bool
has_ended(uint64_t xid, const WaSnapshot *snapshot)
{
	if (xid < snapshot->xmin)
		return true;
	for (uint32_t i = 0; i < snapshot->nxids; i++)
		if (snapshot->xids[i] == xid)
			return false;
	return xid < snapshot->xmax;
}

/* Describes some transactions as is said of those of a block. */
static void
describe(const uint64_t *xids, uint32_t count, uint64_t settled,
		 uint64_t *first, uint64_t *last)
{
	*first = *last = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		if (xids[i] > *last)
			*last = xids[i];
		if (xids[i] >= settled && (*first == 0 || xids[i] < *first))
			*first = xids[i];
	}
}

/*
 * What is settled for a snapshot are only transactions that have ended for it, be they
 * of one block or of two of which is known what is known of both; and it is often so.
 */
static bool
test_settled(void)
{
	uint64_t state = 5;
	int settled_often = 0;

	for (int trial = 0; trial < 300000; trial++)
	{
		const uint64_t settled = 1 + next_random(&state) % 40;
		const uint64_t other = 1 + next_random(&state) % 40;
		WaSnapshot snapshot = {.xmin = 1 + next_random(&state) % 40};
		uint64_t xids[4];
		uint64_t first[2];
		uint64_t last[2];
		bool ended = true;

		snapshot.xmax = snapshot.xmin + next_random(&state) % 20;
		for (uint64_t xid = snapshot.xmin; xid < snapshot.xmax; xid++)
			if (next_random(&state) % 8 == 0)
				snapshot.xids[snapshot.nxids++] = xid;
		for (int i = 0; i < 4; i++)
		{
			/* Numbers of committed transactions that a loader has seen. */
			xids[i] = 1 + next_random(&state) % 45;
			ended = ended && has_ended(xids[i], &snapshot);
		}
		describe(xids, 2, settled, &first[0], &last[0]);
		describe(xids + 2, 2, other, &first[1], &last[1]);
		if (first[0] == 0 || (first[1] != 0 && first[1] < first[0]))
			first[0] = first[1];
		if (!wa_snapshot_settles(&snapshot, settled > other ? settled : other,
								 first[0],
								 last[0] > last[1] ? last[0] : last[1]))
			continue;
		EXPECT(ended);
		settled_often++;
	}
	EXPECT(settled_often > 30000);
	return true;
}

static bool
test_sizes(void)
{
	EXPECT(sizeof(WaMessage) <= WA_MAX_MESSAGE_BYTES);
	EXPECT(sizeof(WaStagingHeader) <= 8192);
	/* Two ranges of limbs come with the parts of a partial over floats. */
	EXPECT(sizeof(WaPartial) + sizeof(WaExactPart) + 2 * 8 <=
		   WA_PARTIAL_MAX_BYTES);
	return true;
}

static const struct
{
	const char *name;
	bool (*run)(void);
} tests[] = {
	{"fixed lengths", test_fixed_lengths},
	{"lengths of RESULT", test_result_lengths},
	{"lengths of DEVICES", test_devices_lengths},
	{"lengths of messages with columns", test_columns_lengths},
	{"header", test_header},
	{"relations", test_relations},
	{"checksum", test_seal},
	{"enumerations of REDUCE", test_reduce_enumerations},
	{"values of REDUCE", test_reduce_values},
	{"overflows in REDUCE", test_reduce_overflow},
	{"what follows WAL", test_follow},
	{"snapshots", test_snapshot},
	{"transactions that are settled", test_settled},
	{"sizes", test_sizes},
};

int
main(void)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		check(tests[i].run(), tests[i].name);
	return finish_checks();
}
