/*
 * test_resident.c
 *		What wa_extent_is_sound lets pass, and the geometry of extents.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/resident.h"
#include "test/unit/check.h"

#define PARCEL_BYTES ((uint64_t) 1 << 20)
#define CORRUPTIONS  2000000

static uint64_t random_state = 11;

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	return next_random(&random_state) % bound;
}

/* Makes a head that is sound: blocks with some rows, a column of each form. */
static void
make_head(WaExtentHead *head)
{
	memset(head, 0, sizeof(*head));
	head->relation = (WaRelation){1, 2, 3};
	head->position = 77;
	head->settled = 100;
	head->number = (uint32_t) pick(1000);
	if (pick(2) == 0)
		head->family = (WaFamily){2, 1 + (uint32_t) pick(9)};
	head->nblocks = 1 + (uint32_t) pick(416);
	for (uint32_t i = 0; i < head->nblocks; i++)
	{
		head->block_lsn[i] = pick(3);
		if (head->block_lsn[i] != 0)
			head->nrows += (uint32_t) pick(100);
		head->row_end[i] = head->nrows;
		if (head->block_lsn[i] == 0)
			continue;
		head->last_xid[i] = pick(2) * pick(200);
		if (head->last_xid[i] >= head->settled)
			head->first_xid[i] =
				head->settled + pick(head->last_xid[i] - head->settled + 1);
	}
	head->ncolumns = WA_FORM_COUNT;
	for (uint32_t i = 0; i < head->ncolumns; i++)
	{
		WaExtentColumn *column = &head->columns[i];

		column->name.attribute = (int16_t) (i + 1);
		column->name.kind = (uint16_t) wa_form_kind((WaForm) i);
		column->form = i;
		if (head->family.root != 0 && pick(4) != 0)
			column->family_attribute = INT16_MAX - (int32_t) i;
		column->values = 64 * (1 + pick(100));
		column->validity = 64 * pick(100);
		column->display = 64 * pick(100);
		column->text = 64 * pick(100);
		column->text_bytes = pick(100000);
		column->text_ends = 64 * pick(100);
		column->ntexts = pick(20000);
	}
}

static bool
test_geometry(void)
{
	for (uint64_t block = 0; block < UINT32_MAX - 2000; block += 1 + pick(2000))
	{
		uint32_t extent = wa_extent_of_block((uint32_t) block);
		uint32_t first = wa_extent_first_block(extent);

		EXPECT(first <= block && block - first < WA_EXTENT_BLOCKS);
		EXPECT(wa_extents_of((uint32_t) block) == extent + (block > first));
		EXPECT(wa_extent_of_block(first) == extent);
		EXPECT(first == 0 || wa_extent_of_block(first - 1) == extent - 1);
	}
	EXPECT(wa_extents_of(UINT32_MAX) == 1 << 23);
	return true;
}

static bool
test_blocks(void)
{
	static WaExtentHead head;
	const uint32_t last = UINT32_MAX / WA_EXTENT_BLOCKS;

	memset(&head, 0, sizeof(head));
	head.relation = (WaRelation){1, 2, 3};
	head.position = 1;
	head.settled = 1;
	for (uint32_t nblocks = 0; nblocks < 600; nblocks++)
	{
		head.nblocks = nblocks;
		EXPECT(wa_extent_is_sound(&head, 0) == (nblocks > 0 && nblocks <= 512));
	}
	/* The last extent has a block less: none has the number UINT32_MAX. */
	for (uint32_t number = last - 100; number < last + 100; number++)
	{
		head.number = number;
		head.nblocks = 511;
		EXPECT(wa_extent_is_sound(&head, 0) == (number <= last));
		head.nblocks = 512;
		EXPECT(wa_extent_is_sound(&head, 0) == (number < last));
	}
	head.number = UINT32_MAX;
	EXPECT(!wa_extent_is_sound(&head, 0));
	head.number = 0;
	EXPECT(wa_extent_is_sound(&head, 0));
	head.is_patch = 1;
	EXPECT(wa_extent_is_sound(&head, 0));
	head.is_patch = 2;
	EXPECT(!wa_extent_is_sound(&head, 0));
	head.is_patch = 0;
	head.position = 0;
	EXPECT(!wa_extent_is_sound(&head, 0));
	head.position = 1;
	head.settled = 0;
	EXPECT(!wa_extent_is_sound(&head, 0));
	return true;
}

/* The transactions of a block: the newest, and the oldest that is not settled. */
static bool
test_xids(void)
{
	static WaExtentHead head;
	static const struct
	{
		uint64_t first;
		uint64_t last;
		bool is_sound;
	} cases[] = {
		{0, 0, true},        {0, 99, true},     {0, 100, false},
		{100, 100, true},    {100, 99, false},  {99, 100, false},
		{101, 100, false},   {100, 5000, true}, {5000, 5000, true},
		{5001, 5000, false}, {100, 0, false},   {100, UINT64_MAX, true}};

	memset(&head, 0, sizeof(head));
	head.relation = (WaRelation){1, 2, 3};
	head.position = 1;
	head.settled = 100;
	head.nblocks = 9;
	head.block_lsn[8] = 5;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int block = 7; block < 10; block++)
		{
			head.first_xid[block] = cases[i].first;
			head.last_xid[block] = cases[i].last;
			/* Blocks that are not cached have none. */
			EXPECT(wa_extent_is_sound(&head, 0) ==
				   (cases[i].is_sound && (block == 8 || cases[i].last == 0)));
			head.first_xid[block] = head.last_xid[block] = 0;
		}
	return true;
}

static bool
test_rows(void)
{
	static WaExtentHead head;

	for (int i = 0; i < 200; i++)
	{
		uint32_t block;

		make_head(&head);
		EXPECT(wa_extent_is_sound(&head, PARCEL_BYTES));
		head.nrows++;
		EXPECT(!wa_extent_is_sound(&head, PARCEL_BYTES));
		head.nrows -= 2;
		EXPECT(!wa_extent_is_sound(&head, PARCEL_BYTES));
		head.nrows++;
		block = (uint32_t) pick(head.nblocks);
		head.row_end[block] += 100000;
		EXPECT(!wa_extent_is_sound(&head, PARCEL_BYTES));
		head.row_end[block] -= 100000;
		head.block_lsn[block] = 0;
		head.first_xid[block] = head.last_xid[block] = 0;
		EXPECT(wa_extent_is_sound(&head, PARCEL_BYTES) ==
			   (head.row_end[block] ==
				(block == 0 ? 0 : head.row_end[block - 1])));
	}
	make_head(&head);
	head.ncolumns = 0;
	head.block_lsn[head.nblocks - 1] = 5;
	head.nrows = head.row_end[head.nblocks - 1] = WA_MAX_EXTENT_ROWS;
	EXPECT(wa_extent_is_sound(&head, PARCEL_BYTES));
	head.nrows = head.row_end[head.nblocks - 1] = WA_MAX_EXTENT_ROWS + 1;
	EXPECT(!wa_extent_is_sound(&head, PARCEL_BYTES));
	return true;
}

/* Sets one field of a copy of the head; tells whether it is still sound. */
#define WITH(head, field, value)                          \
	(memcpy(&changed, &(head), sizeof(changed)),          \
	 changed.field = (__typeof__(changed.field)) (value), \
	 wa_extent_is_sound(&changed, PARCEL_BYTES))

static bool
test_columns(void)
{
	static WaExtentHead head;
	static WaExtentHead changed;

	for (uint32_t i = 0; i < WA_FORM_COUNT; i++)
	{
		const uint32_t text = WA_FORM_TEXT;
		const uint32_t most = i == WA_FORM_DECIMAL128 ? 38 : 18;

		make_head(&head);
		for (uint32_t kind = 0; kind < 300; kind++)
			EXPECT(WITH(head, columns[i].name.kind, kind) ==
				   (kind == wa_form_kind((WaForm) i)));
		EXPECT(!WITH(head, columns[i].form, WA_FORM_COUNT));
		EXPECT(!WITH(head, columns[i].form, UINT32_MAX));
		EXPECT(!WITH(head, columns[i].name.unused, 1));
		EXPECT(!WITH(head, columns[i].name.attribute, 0));
		EXPECT(!WITH(head, columns[i].name.attribute, -2));
		EXPECT(!WITH(head, columns[i].name.attribute, INT16_MIN));
		EXPECT(WITH(head, columns[i].name.attribute, WA_PLACE_ATTRIBUTE) ==
			   (wa_form_kind((WaForm) i) == WA_VECTOR_INT));
		EXPECT(!WITH(head, columns[i].name.attribute,
					 (i + 1) % WA_FORM_COUNT + 1));
		EXPECT(WITH(head, columns[i].scale, most));
		EXPECT(!WITH(head, columns[i].scale, most + 1));
		EXPECT(WITH(head, asked, (uint64_t) 1 << i));
		EXPECT(!WITH(head, asked, (uint64_t) 1 << (WA_FORM_COUNT + i)));
		EXPECT(!WITH(head, columns[i].values, 8));
		EXPECT(!WITH(head, columns[i].values, PARCEL_BYTES + 64));
		EXPECT(!WITH(head, columns[i].values, UINT64_MAX - 63));
		EXPECT(!WITH(head, columns[i].validity, 1));
		EXPECT(!WITH(head, columns[i].validity, UINT64_MAX - 63));
		EXPECT(!WITH(head, columns[i].display, UINT64_MAX - 63));
		EXPECT(!WITH(head, columns[text].text, UINT64_MAX - 63));
		EXPECT(!WITH(head, columns[text].text_bytes, PARCEL_BYTES + 1));
		EXPECT(!WITH(head, columns[text].text_bytes, UINT64_MAX));
		EXPECT(!WITH(head, columns[text].text_bytes, 1ULL << 32));
		EXPECT(!WITH(head, columns[text].text_ends, 4));
		EXPECT(!WITH(head, columns[text].text_ends, UINT64_MAX - 63));
		EXPECT(!WITH(head, columns[text].ntexts, PARCEL_BYTES / 4 + 1));
		EXPECT(!WITH(head, columns[text].ntexts, UINT64_MAX / 4 + 2));
	}
	EXPECT(!WITH(head, ncolumns, 65));
	EXPECT(!WITH(head, ncolumns, UINT32_MAX));
	EXPECT(!wa_extent_is_sound(&head, 64));
	return true;
}

/* Tells by other means whether all that a sound head names is in the parcel. */
static bool
is_within(const WaExtentHead *head)
{
	for (uint32_t i = 0; i < head->ncolumns; i++)
	{
		const WaExtentColumn *column = &head->columns[i];
		__uint128_t values = column->values;
		__uint128_t text = column->text;
		__uint128_t ends = column->text_ends;

		EXPECT(column->form < WA_FORM_COUNT);
		values +=
			(__uint128_t) head->nrows * wa_form_width((WaForm) column->form);
		text += column->text_bytes;
		ends += (__uint128_t) column->ntexts * sizeof(uint32_t);
		EXPECT(values <= PARCEL_BYTES);
		EXPECT((__uint128_t) column->validity + head->nrows <= PARCEL_BYTES);
		EXPECT((__uint128_t) column->display + head->nrows <= PARCEL_BYTES);
		EXPECT(column->form != WA_FORM_TEXT || text <= PARCEL_BYTES);
		EXPECT(column->form != WA_FORM_TEXT || ends <= PARCEL_BYTES);
	}
	EXPECT(head->nblocks <= WA_EXTENT_BLOCKS);
	for (uint32_t i = 0; i < head->nblocks; i++)
		EXPECT(head->row_end[i] <= head->nrows);
	return true;
}

/* Damages one random word of the head that matters. */
static void
corrupt(WaExtentHead *head)
{
	static const uint64_t numbers[] = {
		0,          1,          63,         64,
		512,        513,        UINT32_MAX, (uint64_t) 1 << 32,
		UINT64_MAX, 1ULL << 63, 1 << 20,    (1 << 20) - 64};
	uint8_t *bytes = (uint8_t *) head;
	const size_t begin = offsetof(WaExtentHead, columns);
	const size_t end = begin + WA_FORM_COUNT * sizeof(WaExtentColumn);
	size_t place = pick(4) == 0 ? pick(begin) : begin + pick(end - begin);

	if (pick(2) == 0)
		bytes[place] ^= (uint8_t) (1 << pick(8));
	else
		memcpy(bytes + place / 8 * 8,
			   &numbers[pick(sizeof(numbers) / sizeof(numbers[0]))],
			   pick(2) == 0 ? 8 : 4);
}

/* No name of a relation's storage is 0. */
static bool
test_relation(void)
{
	static WaExtentHead head;

	for (int which = 0; which < 8; which++)
	{
		make_head(&head);
		head.relation = (WaRelation){(which & 1) != 0, (which & 2) != 0 ? 2 : 0,
									 (which & 4) != 0};
		EXPECT(wa_extent_is_sound(&head, PARCEL_BYTES) == (which == 7));
	}
	return true;
}

/*
 * A family is one of the relation's database, and only in a family columns have numbers,
 * each another one.
 */
static bool
test_family(void)
{
	static WaExtentHead head;
	static WaExtentHead changed;

	for (int i = 0; i < 100; i++)
	{
		const uint32_t column = (uint32_t) pick(WA_FORM_COUNT);
		const uint32_t other = (column + 1) % WA_FORM_COUNT;

		make_head(&head);
		head.family = (WaFamily){0, 0};
		for (uint32_t c = 0; c < head.ncolumns; c++)
			head.columns[c].family_attribute = 0;
		EXPECT(wa_extent_is_sound(&head, PARCEL_BYTES));
		EXPECT(!WITH(head, family.database, 2));
		EXPECT(!WITH(head, family.root, 2));
		EXPECT(!WITH(head, columns[column].family_attribute, 1));
		head.family = (WaFamily){2, 7};
		EXPECT(wa_extent_is_sound(&head, PARCEL_BYTES));
		EXPECT(!WITH(head, family.database, 3));
		EXPECT(WITH(head, columns[column].family_attribute, INT16_MAX));
		EXPECT(!WITH(head, columns[column].family_attribute, INT16_MAX + 1));
		EXPECT(!WITH(head, columns[column].family_attribute, -1));
		EXPECT(!WITH(head, columns[column].unused, 1));
		head.columns[column].family_attribute = 5;
		EXPECT(WITH(head, columns[other].family_attribute, 6));
		EXPECT(!WITH(head, columns[other].family_attribute, 5));
	}
	return true;
}

/* Each bit of what an extent consists of counts, and no other does. */
static bool
test_checksum(void)
{
	static WaExtentHead head;
	uint8_t *parcel = malloc(PARCEL_BYTES);
	uint32_t before;

	for (uint64_t i = 0; i < PARCEL_BYTES; i++)
		parcel[i] = (uint8_t) pick(256);
	for (int i = 0; i < 100; i++)
	{
		const WaExtentColumn *column = &head.columns[i % WA_FORM_COUNT];

		make_head(&head);
		if (head.nrows == 0)
			continue;
		before = wa_extent_checksum(&head, parcel);
		head.family.root ^= 1;
		EXPECT(wa_extent_checksum(&head, parcel) != before);
		head.family.root ^= 1;
		head.columns[i % WA_FORM_COUNT].family_attribute ^= 1;
		EXPECT(wa_extent_checksum(&head, parcel) != before);
		head.columns[i % WA_FORM_COUNT].family_attribute ^= 1;
		parcel[column->values] ^= 4;
		EXPECT(wa_extent_checksum(&head, parcel) != before);
		parcel[column->values] ^= 4;
		head.row_end[WA_EXTENT_BLOCKS - 1] ^= 1;
		EXPECT(wa_extent_checksum(&head, parcel) != before);
		head.row_end[WA_EXTENT_BLOCKS - 1] ^= 1;
		head.columns[WA_FORM_COUNT].scale ^= 1;
		parcel[PARCEL_BYTES - 1] ^= 1;
		EXPECT(wa_extent_checksum(&head, parcel) == before);
	}
	free(parcel);
	return true;
}

/* Whatever is done to a head, what passes lies within the parcel. */
static bool
test_corruption(void)
{
	static WaExtentHead head;
	static WaExtentHead damaged;
	long passed = 0;

	for (long i = 0; i < CORRUPTIONS; i++)
	{
		if (i % 100 == 0)
			make_head(&head);
		memcpy(&damaged, &head, sizeof(damaged));
		for (uint64_t n = 1 + pick(2); n > 0; n--)
			corrupt(&damaged);
		if (!wa_extent_is_sound(&damaged, PARCEL_BYTES))
			continue;
		passed++;
		EXPECT(is_within(&damaged));
	}
	EXPECT(passed > CORRUPTIONS / 100 && passed < CORRUPTIONS);
	return true;
}

static const struct
{
	const char *name;
	bool (*run)(void);
} tests[] = {
	{"extents and blocks", test_geometry},
	{"blocks of a head", test_blocks},
	{"transactions of a head", test_xids},
	{"rows of a head", test_rows},
	{"columns of a head", test_columns},
	{"relations of a head", test_relation},
	{"families of a head", test_family},
	{"checksum", test_checksum},
	{"damaged heads", test_corruption},
};

int
main(void)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		check(tests[i].run(), tests[i].name);
	return finish_checks();
}
