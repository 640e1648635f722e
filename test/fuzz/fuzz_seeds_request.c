/*
 * fuzz_seeds_request.c
 *		First inputs of fuzz_request: each request once, runs of queries over columns
 *		that were loaded before, and clients that go in the middle of it.
 */
#include <string.h>

#include "query/message/query_wire.h"
#include "query/message/table_wire.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_extent_writer.h"
#include "test/fuzz/fuzz_query_mutate.h"
#include "test/fuzz/fuzz_seeds.h"

/* Steps, as fuzz_request has them. */
enum
{
	STEP_MESSAGE,
	STEP_EXTENT,
	STEP_WRITE,
	STEP_SHARE,
	STEP_WORK,
	STEP_CLOSE,
	STEP_SLOT,
	STEP_TICK,
	STEP_CONTROL
};

#define NO_WORK 16U
#define DAMAGED 64U

#define MEMORY ((size_t) 16 * 1024 * 1024)

/* Where things are in the parcel, in bytes. */
#define EXTENT_PLACE  0
#define QUERY_PLACE   (72 * 1024)
#define SOURCES_PLACE (78 * 1024)
#define USED_PLACE    (80 * 1024)
#define COVER_PLACE   (84 * 1024)
#define GROUPS_PLACE  (88 * 1024)

/* Blocks of an extent. */
#define BLOCKS 7

/* Relations that a query is over at most. */
#define MAX_SOURCES 3

static FuzzSeed seed;

/* Writes a step that sends a message. */
static void
send_message(WaMessageType type, const void *message, size_t length,
			 uint32_t flags)
{
	fuzz_seed_step(&seed, STEP_MESSAGE, (uint8_t) type, flags,
				   (const char *) message + sizeof(WaHeader),
				   length - sizeof(WaHeader));
}

/*
 * Writes steps that load an extent of a relation with columns of forms, whose attributes
 * are larger by its number.
 */
static void
load_of(uint8_t relation, const uint8_t *forms, uint8_t nforms, uint32_t number)
{
	struct
	{
		FuzzExtent extent;
		FuzzColumn columns[WA_FORM_COUNT];
	} words;
	WaLoadMessage message;

	memset(&words, 0, sizeof(words));
	memset(&message, 0, sizeof(message));
	words.extent = (FuzzExtent){.relation = relation,
								.nblocks = BLOCKS,
								.block_rows = 9,
								.ncolumns = nforms,
								.number = number,
								.position = 9,
								.seed = number + 3};
	for (uint8_t i = 0; i < nforms; i++)
		words.columns[i] = (FuzzColumn){.form = forms[i],
										.attribute = (uint8_t) (i + relation),
										.flags = i % 2,
										.scale = 2,
										.ntexts = 5};
	fuzz_seed_step(&seed, STEP_EXTENT, 0, EXTENT_PLACE / 64 << 8, &words,
				   sizeof(words.extent) + nforms * sizeof(FuzzColumn));
	message.extent = EXTENT_PLACE;
	send_message(WA_MSG_LOAD, &message, sizeof(message), 0);
}

/* The same of the first relation. */
static void
load(const uint8_t *forms, uint8_t nforms, uint32_t number)
{
	load_of(0, forms, nforms, number);
}

/* Fills in the names of columns of forms. */
static void
fill_names(WaColumnName *names, const uint8_t *forms, uint8_t nforms)
{
	for (uint8_t i = 0; i < nforms; i++)
		names[i] = fuzz_column_name(i, (WaForm) forms[i]);
}

/* Writes a step that shares a parcel. */
static void
share(uint8_t flags)
{
	fuzz_seed_step(&seed, STEP_SHARE, flags, 63U << 8, NULL, 0);
}

/* Writes a step that writes sources of so many blocks with columns of forms. */
static void
write_sources_of(uint32_t nsources, uint32_t nblocks, const uint8_t *forms,
				 uint8_t nforms)
{
	struct
	{
		WaRunSource sources[MAX_SOURCES];
		int16_t attributes[MAX_SOURCES * WA_FORM_COUNT + 4];
	} words;
	int16_t *attributes =
		(int16_t *) (void *) ((char *) &words + nsources * sizeof(WaRunSource));

	memset(&words, 0, sizeof(words));
	for (uint32_t i = 0; i < nsources; i++)
	{
		words.sources[i] = (WaRunSource){fuzz_relation(i), nblocks};
		for (uint32_t j = 0; j < nforms; j++)
			attributes[i * nforms + j] =
				fuzz_column_name((uint8_t) (i + j), (WaForm) forms[j])
					.attribute;
	}
	fuzz_seed_step(&seed, STEP_WRITE, 0, SOURCES_PLACE / 8 << 8, &words,
				   (wa_run_sources_bytes(nsources, nforms) + 7) / 8 * 8);
}

/* The same of more blocks than are loaded. */
static void
write_sources(uint32_t nsources, const uint8_t *forms, uint8_t nforms)
{
	write_sources_of(nsources, 2000, forms, nforms);
}

/* Writes steps that run a query over columns of forms of some relations. */
static void
run(int number, uint32_t nsources, const uint8_t *forms, uint8_t nforms,
	uint32_t flags)
{
	WaRunMessage message;
	WaWriter writer;
	WaArena arena;

	wa_arena_init(&arena, MEMORY);
	wa_writer_init(&writer, &arena);
	fuzz_seed_query(number, &writer);
	fuzz_seed_step(&seed, STEP_WRITE, 1, QUERY_PLACE / 8 << 8, writer.words,
				   writer.nwords * sizeof(uint64_t));
	/* Tables are made of all rows. */
	write_sources_of(nsources, fuzz_seed_makes(number) ? BLOCKS : 2000, forms,
					 nforms);
	memset(&message, 0, sizeof(message));
	message.nsources = nsources - 1; /* of which one more is made */
	message.announces = flags & 1;
	message.position = 9;
	message.snapshot = (WaSnapshot){.xmin = 20, .xmax = 20};
	message.ncolumns = nforms;
	message.query = QUERY_PLACE;
	message.query_bytes = writer.nwords * sizeof(uint64_t);
	message.sources = SOURCES_PLACE;
	message.used = USED_PLACE;
	message.cover = COVER_PLACE;
	message.groups = GROUPS_PLACE;
	message.groups_room = (flags & 1) != 0 ? 64 : 65536;
	fill_names(message.columns, forms, nforms);
	send_message(WA_MSG_RUN, &message,
				 offsetof(WaRunMessage, columns) +
					 nforms * sizeof(WaColumnName),
				 flags & ~3U);
	wa_arena_reset(&arena);
}

/* Writes steps that have a table kept that queries name. */
static void
keep(void)
{
	WaKeepMessage message = {.digest = fuzz_kept_table.digest,
							 .table = QUERY_PLACE};
	WaFetchMessage fetch = {.table = QUERY_PLACE, .room = 512};
	WaWriter writer;
	WaArena arena;

	wa_arena_init(&arena, MEMORY);
	wa_writer_init(&writer, &arena);
	wa_table_message_write(&writer, &fuzz_kept_table);
	fuzz_seed_step(&seed, STEP_WRITE, 2, QUERY_PLACE / 8 << 8, writer.words,
				   writer.nwords * sizeof(uint64_t));
	message.bytes = writer.nwords * sizeof(uint64_t);
	message.digest.words[0]--; /* of which one more is made */
	send_message(WA_MSG_KEEP, &message, sizeof(message), 0);
	fetch.digest = message.digest;
	fetch.digest.words[0]--;
	send_message(WA_MSG_FETCH, &fetch, sizeof(fetch), 0);
	wa_arena_reset(&arena);
}

/* Writes a step that follows WAL, by a client or the supervisor. */
static void
follow(uint8_t step, uint64_t from, uint64_t to, uint32_t block)
{
	WaFollowMessage message;

	memset(&message, 0, sizeof(message));
	message.from = from;
	message.to = to;
	message.nchanges = 1;
	message.changes[0] =
		(WaChange){.relation = fuzz_relation(0), .block = block, .lsn = to};
	fuzz_seed_step(&seed, step, WA_MSG_FOLLOW, 0,
				   (const char *) &message + sizeof(WaHeader),
				   offsetof(WaFollowMessage, changes) + sizeof(WaChange) -
					   sizeof(WaHeader));
}

/* Writes a seed of a query over columns as its inputs are. */
static void
write_run_seed(int number, const uint8_t *forms, uint8_t nforms)
{
	const uint8_t nsources =
		fuzz_seed_makes(number) ? 1 : (uint8_t) (1 + number % MAX_SOURCES);

	share(0);
	follow(number % 2 == 0 ? STEP_CONTROL : STEP_MESSAGE, 9, 9, 3000);
	load(forms, nforms, 0);
	load(forms, nforms, 1);
	for (uint8_t i = 1; i < nsources; i++)
		load_of(i, forms, nforms, i);
	if (number % 2 == 0 || fuzz_seed_makes(number))
		keep();
	run(number, nsources, forms, nforms, (uint32_t) number % 2);
	keep();
	run(number, nsources, forms, nforms, NO_WORK);
	fuzz_seed_step(&seed, STEP_WORK, 0, 0, NULL, 0);
	if (number % 3 == 0)
		fuzz_seed_step(&seed, STEP_CLOSE, 0, 0, NULL, 0);
	fuzz_seed_step(&seed, STEP_WORK, 4, 1, NULL, 0);
	fuzz_seed_write(&seed, "fuzz_request");
}

/* Writes the steps of a question about resident columns of some relations. */
static void
ask_residency(uint32_t nsources, const uint8_t *forms, uint8_t nforms)
{
	WaMessage message;

	write_sources(nsources, forms, nforms);
	memset(&message, 0, sizeof(message));
	message.residency.nsources = nsources - 1; /* of which one more is made */
	message.residency.ncolumns = nforms;
	message.residency.sources = SOURCES_PLACE;
	message.residency.blocks = GROUPS_PLACE;
	fill_names(message.residency.columns, forms, nforms);
	send_message(WA_MSG_RESIDENCY, &message,
				 offsetof(WaResidencyMessage, columns) +
					 nforms * sizeof(WaColumnName),
				 0);
}

/* Writes the steps of a question whether some relations are as they were. */
static void
ask_stamps(uint32_t nsources, const uint8_t *forms, uint8_t nforms)
{
	WaMessage message;

	write_sources(nsources, forms, nforms);
	memset(&message, 0, sizeof(message));
	message.stamps.nsources = nsources - 1; /* of which one more is made */
	message.stamps.position = 1;
	message.stamps.snapshot =
		(WaSnapshot){.xmin = UINT64_MAX, .xmax = UINT64_MAX};
	message.stamps.sources = SOURCES_PLACE;
	message.stamps.stamps = GROUPS_PLACE;
	send_message(WA_MSG_STAMPS, &message, sizeof(message.stamps), 0);
}

/* Writes the step of a question what the blocks of a relation are. */
static void
ask_blocks(uint32_t nblocks)
{
	WaMessage message;

	memset(&message, 0, sizeof(message));
	message.blocks.relation = fuzz_relation(0);
	message.blocks.nblocks = nblocks - 1; /* of which one more is made */
	message.blocks.position = 1;
	message.blocks.snapshot =
		(WaSnapshot){.xmin = UINT64_MAX, .xmax = UINT64_MAX};
	message.blocks.blocks = GROUPS_PLACE;
	send_message(WA_MSG_BLOCKS, &message, sizeof(message.blocks), 0);
}

/* Writes the steps of questions about resident columns. */
static void
ask(const uint8_t *forms, uint8_t nforms)
{
	WaMessage message;

	ask_residency(1 + forms[0] % MAX_SOURCES, forms, nforms);
	ask_stamps(1 + forms[0] % MAX_SOURCES, forms, nforms);
	ask_blocks(1 + forms[0]);
	memset(&message, 0, sizeof(message));
	message.extents.relation = fuzz_relation(0);
	message.extents.nblocks = 700;
	message.extents.room = 2;
	message.extents.all = 1;
	message.extents.ncolumns = nforms;
	message.extents.states = GROUPS_PLACE;
	fill_names(message.extents.columns, forms, nforms);
	send_message(
		WA_MSG_EXTENTS, &message,
		offsetof(WaExtentsMessage, columns) + nforms * sizeof(WaColumnName), 0);
	memset(&message, 0, sizeof(message));
	message.texts.relation = fuzz_relation(0);
	fill_names(&message.texts.column, forms, 1);
	message.texts.place = GROUPS_PLACE;
	message.texts.room = 128;
	send_message(WA_MSG_TEXTS, &message, sizeof(message.texts), 0);
	memset(&message, 0, sizeof(message));
	message.list.room = 3;
	message.list.list = GROUPS_PLACE;
	send_message(WA_MSG_LIST, &message, sizeof(message.list), 0);
}

/* Writes a seed with the requests about resident columns. */
static void
write_resident_seed(uint8_t form)
{
	WaMessage message;

	share(0);
	follow(STEP_MESSAGE, 9, 9, 3000);
	load(&form, 1, 0);
	ask(&form, 1);
	follow(STEP_CONTROL, 9, 20, 3);
	memset(&message, 0, sizeof(message));
	message.extents.relation = fuzz_relation(0);
	message.extents.nblocks = 700;
	message.extents.room = 2;
	message.extents.ncolumns = 1;
	message.extents.states = GROUPS_PLACE;
	fill_names(message.extents.columns, &form, 1);
	send_message(WA_MSG_EXTENTS, &message,
				 offsetof(WaExtentsMessage, columns) + sizeof(WaColumnName), 0);
	memset(&message, 0, sizeof(message));
	message.confirm.relation = fuzz_relation(0);
	message.confirm.edition = 1;
	message.confirm.position = 20;
	message.confirm.same[0] = 0x3f;
	send_message(WA_MSG_CONFIRM, &message, sizeof(message.confirm), 0);
	memset(&message, 0, sizeof(message));
	message.unload.relation = fuzz_relation(0);
	message.unload.attribute = form % 2;
	send_message(WA_MSG_UNLOAD, &message, sizeof(message.unload),
				 form % 3 == 0 ? NO_WORK : 0);
	fuzz_seed_step(&seed, STEP_CLOSE, 0, 0, NULL, 0);
	fuzz_seed_write(&seed, "fuzz_request");
}

/* Writes a seed of a reduction. */
static void
write_reduce_seed(WaType type)
{
	const uint64_t words[] = {0, 1, 2, 3, UINT64_MAX, 5, 6, 7, 0xa5};
	WaReduceMessage message;

	memset(&message, 0, sizeof(message));
	message.type = type;
	message.ops = 1U << type % WA_OP_COUNT;
	message.nrows = 7;
	fuzz_seed_step(&seed, STEP_SLOT, 0, 0, words, sizeof(words));
	send_message(WA_MSG_REDUCE, &message, sizeof(message),
				 type % 3 == 0 ? NO_WORK : 0);
	fuzz_seed_step(&seed, STEP_TICK, 0, 0, NULL, 0);
	if (type % 2 == 0)
		fuzz_seed_step(&seed, STEP_CLOSE, 0, 0, NULL, 0);
	fuzz_seed_write(&seed, "fuzz_request");
}

/* Writes a seed with what is simple, and the supervisor's. */
static void
write_simple_seed(void)
{
	static const uint8_t types[] = {WA_MSG_HELLO, WA_MSG_ATTACH, WA_MSG_STATUS,
									WA_MSG_PING};
	WaMessage message;

	memset(&message, 0, sizeof(message));
	message.simple.version = WA_PROTOCOL_VERSION;
	for (size_t i = 0; i < sizeof(types); i++)
		send_message((WaMessageType) types[i], &message, sizeof(message.simple),
					 (uint32_t) i);
	send_message(WA_MSG_STATUS, &message, sizeof(message.simple), DAMAGED);
	fuzz_seed_step(&seed, STEP_CONTROL, WA_MSG_PING, 0, NULL, 0);
	memset(&message, 0, sizeof(message));
	message.settings.version = WA_PROTOCOL_VERSION;
	message.settings.memory_limit = 100000;
	fuzz_seed_step(&seed, STEP_CONTROL, WA_MSG_SETTINGS, 0,
				   (const char *) &message + sizeof(WaHeader),
				   sizeof(message.settings) - sizeof(WaHeader));
	share(1);
	fuzz_seed_write(&seed, "fuzz_request");
}

void
fuzz_seeds_request(void)
{
	/* Inputs of the unit tests' query, in other forms for random ones. */
	static const uint8_t plain[] = {
		WA_FORM_INT32, WA_FORM_TEXT,  WA_FORM_DECIMAL64, WA_FORM_FLOAT8,
		WA_FORM_BOOL,  WA_FORM_INT16, WA_FORM_DECIMAL32, WA_FORM_FLOAT8};
	static const uint8_t other[] = {
		WA_FORM_INT64, WA_FORM_TEXT,   WA_FORM_DECIMAL128, WA_FORM_FLOAT4,
		WA_FORM_BOOL,  WA_FORM_UINT32, WA_FORM_DECIMAL128, WA_FORM_FLOAT4};

	for (int i = 0; i < FUZZ_SEED_QUERIES; i++)
		write_run_seed(i, i < FUZZ_SEED_PLAIN_QUERIES ? plain : other,
					   sizeof(plain));
	for (uint8_t form = 0; form < WA_FORM_COUNT; form++)
		write_resident_seed(form);
	for (int type = 0; type < WA_TYPE_COUNT; type++)
		write_reduce_seed((WaType) type);
	write_simple_seed();
}
