/*
 * test_extent.c
 *		Making extents, and recognising them; see test_extent.h.
 */
#include <stdlib.h>
#include <string.h>

#include "test/unit/check.h"
#include "test/unit/test_extent.h"

#define LONG_TEXT 700

WaTestFamily wa_test_family;

void
wa_test_join(WaExtentHead *head)
{
	if (wa_test_family.root == 0)
		return;
	head->family = (WaFamily){head->relation.database, wa_test_family.root};
	for (uint32_t i = 0; i < head->ncolumns; i++)
	{
		WaExtentColumn *column = &head->columns[i];
		const int32_t number = column->name.attribute + wa_test_family.shift;

		column->family_attribute = number > 0 ? number : 0;
	}
}

const WaSnapshot wa_test_snapshot = {.xmin = WA_TEST_XIDS,
									 .xmax = WA_TEST_XIDS};

WaSnapshot
wa_test_random_snapshot(uint64_t *random_state)
{
	WaSnapshot snapshot = {.nxids = 0};
	uint64_t xid;

	snapshot.xmin = 1 + next_random(random_state) % WA_TEST_XIDS;
	snapshot.xmax =
		snapshot.xmin + next_random(random_state) % (WA_TEST_XIDS / 2);
	xid = snapshot.xmin;
	while (next_random(random_state) % 4 != 0 &&
		   snapshot.nxids < WA_MAX_SNAPSHOT_XIDS)
	{
		xid += next_random(random_state) % 100;
		if (xid >= snapshot.xmax)
			break;
		snapshot.xids[snapshot.nxids++] = xid++;
	}
	return snapshot;
}

/* Tells whether a transaction has ended for a snapshot. */
static bool
has_ended(uint64_t xid, const WaSnapshot *snapshot)
{
	if (xid >= snapshot->xmin && xid >= snapshot->xmax)
		return false;
	for (uint32_t i = 0; i < snapshot->nxids; i++)
		if (snapshot->xids[i] == xid)
			return false;
	return true;
}

bool
wa_test_is_settled(const WaExtentHead *head, uint32_t block,
				   const WaSnapshot *snapshot)
{
	const uint64_t last = head->last_xid[block];

	if (last == 0 || last < snapshot->xmin)
		return true;
	if (head->settled > snapshot->xmin)
		return false;
	for (uint64_t xid = head->first_xid[block]; xid <= last; xid++)
		if (!has_ended(xid, snapshot))
			return false;
	return true;
}

WaUse
wa_test_use(uint32_t nblocks)
{
	return (WaUse){
		.snapshot = &wa_test_snapshot, .position = 1, .nblocks = nblocks};
}

uint32_t
wa_test_use_next(WaStore *store, WaUse *use, uint32_t *next,
				 WaUsedExtent used[2])
{
	const WaStoredRelation *relation = use->pins.relation;
	WaUsedPart part = {.count = 0};

	(void) pthread_mutex_lock(&store->lock);
	for (uint32_t i = wa_map_search_part(relation, *next);
		 i < relation->nparts && part.count == 0; i++)
	{
		wa_store_use_part(store, use, &relation->parts[i], &part);
		*next = relation->parts[i].number + 1;
	}
	(void) pthread_mutex_unlock(&store->lock);
	memcpy(used, part.extents, part.count * sizeof(*used));
	use->blocks += part.blocks;
	return part.count;
}

void
wa_test_extent_state(WaStore *store, const WaRelation *relation,
					 uint32_t number, const WaColumnName *names,
					 uint32_t ncolumns, WaExtentState *state)
{
	WaExtentsMessage extents = {.relation = *relation,
								.first = number,
								.nblocks = UINT32_MAX,
								.room = 1,
								.ncolumns = ncolumns,
								.all = 1};
	uint32_t bulk = 0;

	if (ncolumns > 0)
		memcpy(extents.columns, names, ncolumns * sizeof(*names));
	(void) wa_store_extents(store, &extents, (uint8_t *) state, &bulk);
}

void
wa_test_know(WaStore *store, uint64_t position)
{
	WaFollowMessage *follow = calloc(1, sizeof(*follow));

	follow->from =
		store->known.position == 0 ? position : store->known.position;
	follow->to = position;
	(void) wa_store_follow(store, follow);
	free(follow);
}

/* Returns random bits that belong to a row of a column. */
static uint64_t
bits_of(WaRelation relation, uint64_t seed, int16_t attribute, uint32_t row)
{
	uint64_t state = relation.file * UINT64_C(1000003) + seed * 7919 +
					 (uint64_t) attribute * 104729 + 1;

	state = (state ^ state >> 31) * UINT64_C(0x9E3779B97F4A7C15) + row;
	state |= (uint64_t) 1 << 62;
	(void) next_random(&state);
	return next_random(&state);
}

/* Tells whether the attribute of an extent has NULLs. */
static bool
has_nulls(uint64_t seed, int16_t attribute)
{
	return (seed + (uint64_t) attribute) % 2 == 0;
}

/* Tells whether a row of a column is NULL. */
static bool
is_null(uint64_t seed, int16_t attribute, uint64_t bits)
{
	return has_nulls(seed, attribute) && (bits >> 40) % 4 == 0;
}

/* Returns the scale of a column. */
static uint32_t
scale_of(uint64_t seed, int16_t attribute)
{
	WaForm form = (WaForm) (attribute - 1);

	if (form == WA_FORM_DECIMAL128)
		return (uint32_t) (seed % (WA_WIDE_MAX_SCALE + 1));
	return wa_form_kind(form) == WA_VECTOR_DECIMAL ? (uint32_t) (seed % 19) : 0;
}

/* Writes a text to `text`, which has room for LONG_TEXT; returns its length. */
static size_t
make_text(uint64_t bits, char *text)
{
	size_t length = bits % 50 == 0 ? LONG_TEXT : bits % 13;

	memset(text, (int) ('a' + (bits >> 8) % 26), length);
	if (length > 2)
		text[0] = (char) ('A' + (bits >> 16) % 3);
	return length;
}

/* Returns what the value of a row has to be: its first bytes are the form's. */
static WaInt128
value_of(WaForm form, uint64_t bits)
{
	if (form == WA_FORM_BOOL)
		return (WaInt128){bits & 1, 0};
	return (WaInt128){bits, (int64_t) (bits >> 4) - (INT64_C(1) << 59)};
}

WaColumnName
wa_test_column_name(int16_t attribute)
{
	WaColumnName name;

	memset(&name, 0, sizeof(name));
	name.type = 20;
	name.typmod = -1;
	name.attribute = attribute;
	name.kind = (uint16_t) wa_form_kind((WaForm) (attribute - 1));
	return name;
}

uint64_t
wa_test_take(uint64_t *end, uint64_t bytes)
{
	const uint64_t offset = *end;

	*end = (offset + bytes + 63) / 64 * 64;
	return offset;
}

void
wa_test_write_texts(uint8_t *parcel, WaExtentColumn *column, uint32_t ntexts,
					uint64_t *end)
{
	uint32_t *ends;
	uint32_t bytes = 0;

	column->ntexts = ntexts;
	column->text_ends = wa_test_take(end, ntexts * sizeof(*ends));
	ends = (uint32_t *) (void *) (parcel + column->text_ends);
	for (uint32_t i = 0; i < ntexts; i++)
	{
		bytes += i;
		ends[i] = bytes;
	}
	column->text_bytes = bytes;
	column->text = wa_test_take(end, bytes);
	memset(parcel + column->text, 'x', bytes);
}

/*
 * Writes the texts of a column behind `end`: some of nobody, and of each row its
 * own, but of every third row that of the row before, if they are equal.  Stores
 * the rows' numbers.
 */
static void
write_texts(uint8_t *parcel, const WaExtentHead *head, WaExtentColumn *column,
			uint64_t *end)
{
	const uint64_t seed = head->block_lsn[0];
	uint32_t *numbers = (uint32_t *) (void *) (parcel + column->values);
	uint32_t *ends;
	char last[LONG_TEXT];
	size_t last_length = LONG_TEXT + 1; /* none */
	uint32_t text_end = 0;

	column->ntexts = 0;
	column->text_ends = wa_test_take(end, (head->nrows + 2) * sizeof(*ends));
	column->text = *end;
	ends = (uint32_t *) (void *) (parcel + column->text_ends);
	ends[column->ntexts++] = 0;
	memcpy(parcel + column->text, "?", 1);
	ends[column->ntexts++] = text_end = 1;
	for (uint32_t row = 0; row < head->nrows; row++)
	{
		const uint64_t bits =
			bits_of(head->relation, seed, column->name.attribute, row);
		char text[LONG_TEXT];
		size_t length = make_text(bits, text);

		if (length != last_length || memcmp(text, last, length) != 0 ||
			row % 3 != 0)
		{
			memcpy(parcel + column->text + text_end, text, length);
			text_end += (uint32_t) length;
			ends[column->ntexts++] = text_end;
		}
		numbers[row] = (uint32_t) column->ntexts - 1;
		memcpy(last, text, length);
		last_length = length;
	}
	column->text_bytes = text_end;
	*end += (text_end + 63) / 64 * 64;
}

/* Writes the values of a column whose places are known. */
static void
write_values(uint8_t *parcel, const WaExtentHead *head, WaExtentColumn *column)
{
	const WaForm form = (WaForm) column->form;
	const uint64_t seed = head->block_lsn[0];

	for (uint32_t row = 0; row < head->nrows; row++)
	{
		const uint64_t bits =
			bits_of(head->relation, seed, column->name.attribute, row);
		const bool null = is_null(seed, column->name.attribute, bits);
		const WaInt128 value = value_of(form, bits);

		if (form != WA_FORM_TEXT)
			memcpy(parcel + column->values + row * wa_form_width(form), &value,
				   wa_form_width(form));
		if (column->validity != 0)
			parcel[column->validity + row] = !null;
		if (column->display != 0)
			parcel[column->display + row] =
				(uint8_t) (bits % (column->scale + 1));
	}
}

/* Writes a column of an extent. */
static void
write_column(uint8_t *parcel, const WaExtentHead *head, WaExtentColumn *column,
			 int16_t attribute, uint64_t *end)
{
	const uint64_t seed = head->block_lsn[0];

	column->name = wa_test_column_name(attribute);
	column->form = (uint32_t) attribute - 1;
	column->scale = scale_of(seed, attribute);
	column->values =
		wa_test_take(end, head->nrows * wa_form_width((WaForm) column->form));
	if (has_nulls(seed, attribute))
		column->validity = wa_test_take(end, head->nrows);
	if (column->name.kind == WA_VECTOR_DECIMAL && seed % 2 == 0)
		column->display = wa_test_take(end, head->nrows);
	write_values(parcel, head, column);
	if (column->form == WA_FORM_TEXT)
		write_texts(parcel, head, column, end);
}

/* Writes the transactions that decide about the rows of a block: none, or some. */
static void
write_block_xids(WaExtentHead *head, uint32_t block, uint64_t bits)
{
	const uint64_t last = bits % WA_TEST_XIDS * (bits >> 10 & 1);
	const uint64_t first =
		head->settled + (bits >> 12) % (WA_TEST_XIDS - head->settled);

	head->last_xid[block] = 0;
	head->first_xid[block] = 0;
	if (head->block_lsn[block] == 0)
		return;
	head->last_xid[block] = last;
	if (last >= head->settled)
		head->first_xid[block] = first < last ? first : last;
}

void
wa_test_write_xids(WaExtentHead *head, uint64_t seed)
{
	head->settled = 1 + seed % (WA_TEST_XIDS - 1);
	for (uint32_t i = 0; i < head->nblocks; i++)
		write_block_xids(head, i, bits_of(head->relation, seed, -1, i));
}

uint64_t
wa_test_write_extent_of(uint8_t *parcel, WaRelation relation, uint32_t number,
						uint64_t position, uint64_t seed, uint32_t rows,
						uint64_t attributes, const uint64_t *block_lsn)
{
	WaExtentHead *head = (WaExtentHead *) (void *) parcel;
	uint64_t end = (sizeof(*head) + 63) / 64 * 64;

	memset(head, 0, sizeof(*head));
	head->relation = relation;
	head->number = number;
	head->position = position;
	head->nblocks = 1 + (uint32_t) (seed % 416);
	for (uint32_t i = 0; i < head->nblocks; i++)
	{
		head->block_lsn[i] = block_lsn[i];
		if (head->block_lsn[i] != 0)
			head->nrows +=
				(uint32_t) (bits_of(relation, seed, 0, i) >> 20) % (rows + 1);
		head->row_end[i] = head->nrows;
	}
	wa_test_write_xids(head, seed);
	head->block_lsn[0] = seed; /* for the values */
	for (int16_t i = 0; i < WA_TEST_ATTRIBUTES; i++)
		if ((attributes >> i & 1) != 0)
			write_column(parcel, head, &head->columns[head->ncolumns++],
						 (int16_t) (i + 1), &end);
	head->block_lsn[0] = block_lsn[0];
	return end;
}

uint64_t
wa_test_write_extent(uint8_t *parcel, WaRelation relation, uint32_t number,
					 uint64_t position, uint64_t seed, uint32_t rows,
					 uint64_t attributes)
{
	uint64_t block_lsn[WA_EXTENT_BLOCKS] = {seed};

	for (uint32_t i = 1; i < WA_EXTENT_BLOCKS; i++)
	{
		const uint64_t bits = bits_of(relation, seed, 0, i);

		block_lsn[i] = bits % 4 * (bits >> 50);
	}
	return wa_test_write_extent_of(parcel, relation, number, position, seed,
								   rows, attributes, block_lsn);
}

bool
wa_test_integer(WaRelation relation, uint64_t seed, int16_t attribute,
				uint32_t row, int64_t *value)
{
	const uint64_t bits = bits_of(relation, seed, attribute, row);

	switch (attribute - 1)
	{
		case WA_FORM_INT16:
			*value = (int16_t) bits;
			break;
		case WA_FORM_INT32:
			*value = (int32_t) bits;
			break;
		case WA_FORM_INT64:
			*value = (int64_t) bits;
			break;
		default:
			*value = (uint32_t) bits;
			break;
	}
	return !is_null(seed, attribute, bits);
}

/* Tells whether a text of a column is right. */
static bool
text_is_right(const WaColumn *column, uint32_t row, bool null, uint64_t bits)
{
	const int32_t code = ((const int32_t *) column->values)[row];
	char expected[LONG_TEXT];
	size_t length = null ? 0 : make_text(bits, expected);
	WaText text;

	EXPECT(code >= 0 &&
		   (uint32_t) code < wa_dictionary_count(column->dictionary));
	text = wa_dictionary_text(column->dictionary, code);
	EXPECT(text.length == length);
	EXPECT(memcmp(text.data, expected, length) == 0);
	EXPECT((length == 0) == (code == WA_DICTIONARY_EMPTY));
	return true;
}

/* Tells whether a row of a column is right. */
static bool
row_is_right(const WaColumn *column, uint32_t row, bool null, uint64_t bits)
{
	const size_t width = wa_form_width(column->form);
	const WaInt128 expected =
		null ? (WaInt128){0, 0} : value_of(column->form, bits);

	EXPECT(column->validity == NULL ? !null : column->validity[row] == !null);
	EXPECT(column->display == NULL ||
		   column->display[row] == bits % (column->scale + 1U));
	if (column->form == WA_FORM_TEXT)
		return text_is_right(column, row, null, bits);
	if (column->form == WA_FORM_BOOL)
		EXPECT(wa_bits_get(column->values, row) == (expected.lo != 0));
	else
		EXPECT(memcmp((const char *) column->values + row * width, &expected,
					  width) == 0);
	return true;
}

bool
wa_test_column_is_right(const WaColumn *column, WaRelation relation,
						uint64_t seed, int16_t attribute)
{
	const WaColumnName name = wa_test_column_name(attribute);
	int64_t smallest = INT64_MAX;
	int64_t largest = INT64_MIN;
	int64_t value;

	EXPECT(memcmp(&column->name, &name, sizeof(name)) == 0);
	EXPECT(column->form == (WaForm) (attribute - 1));
	EXPECT(column->scale == scale_of(seed, attribute));
	EXPECT((column->validity != NULL) == has_nulls(seed, attribute));
	EXPECT((column->display != NULL) ==
		   (name.kind == WA_VECTOR_DECIMAL && seed % 2 == 0));
	for (uint32_t row = 0; row < column->nrows; row++)
	{
		const uint64_t bits = bits_of(relation, seed, attribute, row);

		EXPECT(row_is_right(column, row, is_null(seed, attribute, bits), bits));
		if (name.kind == WA_VECTOR_INT &&
			wa_test_integer(relation, seed, attribute, row, &value))
		{
			smallest = value < smallest ? value : smallest;
			largest = value > largest ? value : largest;
		}
	}
	EXPECT(column->smallest == smallest && column->largest == largest);
	return true;
}

WaRelation
wa_test_relation(uint64_t i)
{
	const WaRelation name = {1663, 5 + (uint32_t) (i % 2), 1000 + (uint32_t) i};

	return name;
}

WaStatus
wa_test_load(WaStore *store, uint8_t *memory, uint64_t relation,
			 uint32_t number, uint64_t position, uint64_t seed, uint32_t rows,
			 uint64_t attributes)
{
	return wa_test_load_asked(store, memory, relation, number, position, seed,
							  rows, attributes, 0);
}

WaStatus
wa_test_load_asked(WaStore *store, uint8_t *memory, uint64_t relation,
				   uint32_t number, uint64_t position, uint64_t seed,
				   uint32_t rows, uint64_t attributes, uint64_t asked)
{
	WaExtentHead *head = malloc(sizeof(*head));
	char error[WA_MAX_ERROR_BYTES];
	WaStatus status;

	wa_test_write_extent(memory, wa_test_relation(relation), number, position,
						 seed, rows, attributes);
	memcpy(head, memory, sizeof(*head));
	for (uint32_t i = 0; i < head->ncolumns; i++)
		head->asked |= (asked >> (head->columns[i].name.attribute - 1) & 1)
					   << i;
	wa_test_join(head);
	status = wa_extent_is_sound(head, WA_TEST_EXTENT_BYTES)
				 ? wa_store_load(store, head, memory, error, sizeof(error))
				 : WA_UNSUPPORTED;
	free(head);
	return status;
}

uint32_t
wa_test_names(uint64_t attributes, WaColumnName *names)
{
	uint32_t count = 0;

	for (int16_t i = 0; i < WA_TEST_ATTRIBUTES; i++)
		if ((attributes >> i & 1) != 0)
			names[count++] = wa_test_column_name((int16_t) (i + 1));
	return count;
}

void
wa_test_write_source(uint8_t *parcel, const WaRunMessage *run, uint32_t number,
					 uint64_t relation, uint32_t nblocks,
					 const int16_t *attributes)
{
	const WaRunSource source = {wa_test_relation(relation), nblocks};
	const size_t bytes = run->ncolumns * sizeof(*attributes);
	uint8_t *place = parcel + run->sources;

	memcpy(place + number * sizeof(source), &source, sizeof(source));
	if (bytes > 0)
		memcpy(place + run->nsources * sizeof(source) + number * bytes,
			   attributes, bytes);
}

void
wa_test_write_only_source(uint8_t *parcel, WaRunMessage *run, uint64_t relation,
						  uint32_t nblocks, uint64_t attributes)
{
	int16_t numbers[WA_TEST_ATTRIBUTES];

	run->nsources = 1;
	run->ncolumns = wa_test_names(attributes, run->columns);
	for (uint32_t i = 0; i < run->ncolumns; i++)
	{
		numbers[i] = run->columns[i].attribute;
		run->columns[i].attribute = 0;
	}
	wa_test_write_source(parcel, run, 0, relation, nblocks, numbers);
}

bool
wa_test_used_is_right(const WaUsedExtent *used, WaRelation relation,
					  const WaColumnName *names, uint32_t ncolumns)
{
	for (uint32_t i = 0; i < ncolumns; i++)
	{
		EXPECT(used->columns[i]->nrows == used->layout->nrows);
		EXPECT(wa_test_column_is_right(used->columns[i], relation,
									   used->layout->block_lsn[0],
									   names[i].attribute));
	}
	return true;
}
