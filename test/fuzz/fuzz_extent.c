/*
 * fuzz_extent.c
 *		Extents in a parcel: whatever is accepted can be loaded, asked for, read by a
 *		query, confirmed and forgotten, and all of its memory comes back.
 *
 * An input is a script; its steps are those of What.
 */
#include <string.h>

#include "core/replies.h"
#include "daemon/store/cover_take.h"
#include "daemon/store/store.h"
#include "daemon/store/store_follow.h"
#include "daemon/store/store_map.h"
#include "daemon/store/store_use.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_extent_writer.h"
#include "test/fuzz/fuzz_process.h"

/* Bytes of the parcel: an extent of a few columns. */
#define PARCEL_BYTES ((size_t) 128 * 1024)

/* What the store may use, unless a step says less. */
#define MEMORY ((uint64_t) 64 * 1024 * 1024)

/* Columns that steps ask for at most, and states. */
#define MAX_COLUMNS 8
#define MAX_STATES  4

/* Of a list that is asked for. */
#define LIST_ROOM 16

/*
 * What a step does; b is a number of its own, and the words are what it asks for:
 * columns of which a byte is the attribute and one the form, but for LOAD.
 */
typedef enum What
{
	WHAT_LOAD, /* a: place of the head, in units of 64 bytes; fuzz_extent_write */
	WHAT_RESIDENCY, /* a: relation */
	WHAT_STATE,     /* b: the extent's number */
	WHAT_LIST,
	WHAT_USE,     /* b: blocks of the relation; the last word: the position */
	WHAT_CONFIRM, /* b: the extent's number; words: edition, position, blocks */
	WHAT_UNLOAD,  /* b: attribute */
	WHAT_TEXTS,   /* b: the first code */
	WHAT_LIMIT,   /* b: bytes, in units of 1024 */
	WHAT_FOLLOW,  /* words: positions, 0, changes */
	WHAT_CHANGED, /* b: blocks of the relation; a: the first extent, and room */
	NWHAT
} What;

static WaStore store;
static uint8_t *parcel;

/* What is read is added up here, so that it has to be. */
static volatile uint64_t sink;

/* LOAD */
static void
do_load(const FuzzStep *step)
{
	const size_t place = step->a * (size_t) 64;
	WaExtentHead *head = malloc(sizeof(*head));
	char error[WA_MAX_ERROR_BYTES];

	FUZZ_EXPECT(head != NULL);
	fuzz_extent_write(parcel, PARCEL_BYTES, place, step->words, step->nwords);
	memcpy(head, parcel + place, sizeof(*head));
	if (wa_extent_is_sound(head, PARCEL_BYTES))
		(void) wa_store_load(&store, head, parcel, error, sizeof(error));
	free(head);
}

/* Reads names of columns; returns how many. */
static uint32_t
read_names(const FuzzStep *step, WaColumnName *names)
{
	uint32_t count = 0;

	for (; count < step->nwords && count < MAX_COLUMNS; count++)
	{
		const uint64_t word = step->words[count];

		names[count] = fuzz_column_name(
			(uint8_t) word, (WaForm) ((word >> 8 & 0xff) % WA_FORM_COUNT));
	}
	return count;
}

/* RESIDENCY, STATE and LIST */
static void
do_question(const FuzzStep *step)
{
	const WaRelation relation = fuzz_relation(step->a);
	WaColumnName names[MAX_COLUMNS];
	WaResidency residency[MAX_COLUMNS];
	WaResidentColumn list[LIST_ROOM];
	const uint32_t count = read_names(step, names);
	WaExtentsMessage extents = {.nblocks = UINT32_MAX, .room = 1, .all = 1};
	WaExtentState state;
	uint32_t bulk = 0;

	switch (step->what % NWHAT)
	{
		case WHAT_RESIDENCY:
			(void) wa_store_residency(&store, &relation, names, count,
									  residency);
			break;
		case WHAT_STATE:
			extents.relation = relation;
			extents.first = step->b;
			extents.ncolumns = count;
			memcpy(extents.columns, names, count * sizeof(*names));
			(void) wa_store_extents(&store, &extents, (uint8_t *) &state,
									&bulk);
			break;
		default:
			(void) wa_store_list(&store, step->b % 8, list,
								 step->a % (LIST_ROOM + 1));
			break;
	}
}

/* Reads all values of a column. */
static void
read_column(const WaColumn *column)
{
	const uint8_t *values = column->values;
	uint64_t sum = 0;

	for (size_t i = 0; i < wa_form_bytes(column->form, column->nrows); i++)
		sum += values[i];
	for (size_t i = 0; i < column->nrows; i++)
	{
		if (column->validity != NULL)
			FUZZ_EXPECT(column->validity[i] <= 1);
		if (column->display != NULL)
			FUZZ_EXPECT(column->display[i] <= column->scale);
		if (column->form == WA_FORM_TEXT)
		{
			const int32_t code = ((const int32_t *) column->values)[i];
			WaText text;

			FUZZ_EXPECT(code >= 0 && (uint32_t) code < wa_dictionary_count(
														   column->dictionary));
			text = wa_dictionary_text(column->dictionary, code);
			for (size_t j = 0; j < text.length; j++)
				sum += (uint8_t) text.data[j];
		}
	}
	sink = sink + sum;
}

/* Reads what a cover has of so many columns. */
static void
read_cover(const WaCover *cover, uint32_t ncolumns)
{
	for (uint64_t i = 0; i < cover->count; i++)
	{
		const WaRunExtent *extent = cover->list[i];

		FUZZ_EXPECT(extent->nblocks == 0 ||
					extent->row_end[extent->nblocks - 1] == extent->nrows);
		for (uint32_t j = 0; j < extent->nranges; j++)
			FUZZ_EXPECT(extent->ranges[j].begin < extent->ranges[j].end &&
						extent->ranges[j].end <= extent->nrows);
		for (uint32_t j = 0; j < ncolumns; j++)
		{
			FUZZ_EXPECT(extent->columns[j]->nrows == extent->nrows);
			read_column(extent->columns[j]);
		}
	}
}

/* USE */
static void
do_use(const FuzzStep *step)
{
	const WaRelation relation = fuzz_relation(step->a);
	const WaSnapshot snapshot = {.xmin = 1 + step->a / 4 % 16,
								 .xmax = 1 + step->a / 4 % 16 + step->a / 64,
								 .nxids = step->a / 128,
								 .xids = {1 + step->a / 4 % 16}};
	WaUse use = {.snapshot = &snapshot, .nblocks = step->b};
	const WaDictionary *dictionaries[MAX_COLUMNS];
	WaRunBounds bounds[MAX_COLUMNS];
	WaColumnName names[MAX_COLUMNS];
	uint32_t count = read_names(step, names);
	WaCover *cover;

	FUZZ_EXPECT(wa_snapshot_is_sound(&snapshot));
	use.position = step->nwords == 0 ? 1 : step->words[step->nwords - 1];
	count -= count > 0 ? 1 : 0;
	if (!wa_store_use_begin(&store, &relation, names, count, &use))
		return;
	cover = wa_cover_take(&store, &use, names);
	if (cover != NULL)
		read_cover(cover, count);
	wa_store_use_columns(&store, &use, dictionaries, bounds);
	wa_cover_release(cover);
	wa_store_use_end(&store, &use);
}

/* CONFIRM */
static void
do_confirm(const FuzzStep *step)
{
	WaConfirmMessage confirm;
	const size_t room = sizeof(confirm) - offsetof(WaConfirmMessage, edition);
	size_t bytes = step->nwords * sizeof(uint64_t);

	memset(&confirm, 0, sizeof(confirm));
	confirm.relation = fuzz_relation(step->a);
	confirm.extent = step->b;
	if (bytes > room)
		bytes = room;
	if (bytes > 0)
		memcpy(&confirm.edition, step->words, bytes);
	if (confirm.position != 0)
		wa_store_confirm(&store, &confirm);
}

/* FOLLOW: changes of which the words are as they are, but for the relation. */
static void
do_follow(const FuzzStep *step)
{
	WaFollowMessage *follow = calloc(1, sizeof(*follow));
	const size_t room = sizeof(*follow) - offsetof(WaFollowMessage, from);
	size_t bytes = step->nwords * sizeof(uint64_t);

	FUZZ_EXPECT(follow != NULL);
	if (bytes > room)
		bytes = room;
	if (bytes > 0)
		memcpy(&follow->from, step->words, bytes);
	follow->nchanges %= WA_MAX_CHANGES + 1;
	for (uint32_t i = 0; i < follow->nchanges; i++)
		if (follow->changes[i].kind != WA_CHANGE_FILES)
			follow->changes[i].relation =
				fuzz_relation(follow->changes[i].relation.file);
	if (wa_follow_is_sound(follow))
		FUZZ_EXPECT(wa_store_follow(&store, follow) >= follow->to);
	free(follow);
}

/* EXTENTS */
static void
do_changed(const FuzzStep *step)
{
	WaExtentsMessage changed;
	WaExtentState *states;
	uint32_t bulk = 0;
	uint32_t count;

	memset(&changed, 0, sizeof(changed));
	changed.relation = fuzz_relation(step->a);
	changed.first = step->a / 16;
	changed.nblocks = step->b;
	changed.room = 1 + step->a / 4 % MAX_STATES;
	changed.ncolumns = read_names(step, changed.columns) > 0;
	states = malloc(changed.room * sizeof(*states));
	FUZZ_EXPECT(states != NULL);
	count = wa_store_extents(&store, &changed, (uint8_t *) states, &bulk);
	FUZZ_EXPECT(count <= changed.room);
	for (uint32_t i = 0; i < count; i++)
		FUZZ_EXPECT(wa_extent_state_is_sound(&states[i], states[i].number,
											 changed.ncolumns));
	free(states);
}

/* TEXTS */
static void
do_texts(const FuzzStep *step)
{
	const size_t room = sizeof(WaTextsHead) + step->a * (size_t) 64;
	uint8_t *place = malloc(room);
	WaTextsMessage texts;
	WaColumnName names[MAX_COLUMNS];

	FUZZ_EXPECT(place != NULL);
	memset(&texts, 0, sizeof(texts));
	memset(names, 0, sizeof(names));
	(void) read_names(step, names);
	texts.relation = fuzz_relation(step->a);
	texts.column = names[0];
	texts.first = step->b;
	texts.room = room;
	wa_store_texts(&store, &texts, place);
	free(place);
}

/* Does a step. */
static void
do_step(const FuzzStep *step)
{
	const WaRelation relation = fuzz_relation(step->a);

	switch (step->what % NWHAT)
	{
		case WHAT_LOAD:
			do_load(step);
			break;
		case WHAT_USE:
			do_use(step);
			break;
		case WHAT_CONFIRM:
			do_confirm(step);
			break;
		case WHAT_UNLOAD:
			wa_store_unload(&store, &relation, (int32_t) step->b);
			break;
		case WHAT_TEXTS:
			do_texts(step);
			break;
		case WHAT_FOLLOW:
			do_follow(step);
			break;
		case WHAT_CHANGED:
			do_changed(step);
			break;
		case WHAT_LIMIT:
			wa_store_set_limit(&store, step->b % 65536 * UINT64_C(1024));
			break;
		default:
			do_question(step);
			break;
	}
}

/* Forgets all there is, of which nothing may be left. */
static void
empty_store(void)
{
	for (int i = 0; i < WA_STORE_BUCKETS; i++)
		while (store.buckets[i] != NULL)
		{
			const WaStoredRelation *before = store.buckets[i];
			const WaRelation name = before->name;

			wa_store_unload(&store, &name, 0);
			FUZZ_EXPECT(store.buckets[i] != before);
		}
	FUZZ_EXPECT(wa_memory_used(&store.memory) == 0);
	FUZZ_EXPECT(store.newest == NULL && store.oldest == NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput input;
	FuzzStep step;

	fuzz_restart_numbers();
	wa_store_init(&store, MEMORY, 1);
	if (parcel == NULL)
		parcel = aligned_alloc(64, PARCEL_BYTES);
	FUZZ_EXPECT(parcel != NULL);
	memset(parcel, 0, PARCEL_BYTES);
	fuzz_open(&input, data, size);
	while (fuzz_next_step(&input, &step))
		do_step(&step);
	fuzz_close(&input);
	empty_store();
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
						unsigned seed)
{
	return fuzz_mutate_words(data, size, max_size, seed);
}
