/*
 * fuzz_extent_writer.c
 *		Writing small extents; see fuzz_extent_writer.h.
 */
#include <string.h>

#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_extent_writer.h"

#define ALIGNMENT ((size_t) 64)

/* The longest text. */
#define MAX_TEXT 12

/* Words of the numbers that an extent follows from. */
#define EXTENT_WORDS (sizeof(FuzzExtent) / sizeof(uint64_t))

/* An extent that is being written. */
typedef struct Writer
{
	uint8_t *parcel;
	size_t bytes;
	size_t end; /* of what has been written */
	uint64_t state;
} Writer;

WaRelation
fuzz_relation(uint64_t number)
{
	return (WaRelation){1663, 5, 1000 + (uint32_t) (number % 4)};
}

WaFamily
fuzz_family(uint64_t number)
{
	const uint32_t root = (uint32_t) (number / 4 % 4);

	return (WaFamily){root == 0 ? 0 : fuzz_relation(number).database, root};
}

WaColumnName
fuzz_column_name(uint8_t attribute, WaForm form)
{
	WaColumnName name;

	memset(&name, 0, sizeof(name));
	name.type = 20;
	name.typmod = -1;
	name.attribute = (int16_t) (1 + attribute % 16);
	name.kind = (uint16_t) wa_form_kind(form);
	return name;
}

/* Takes bytes of the parcel; NULL if they are not there.  Stores their offset. */
static uint8_t *
take(Writer *writer, size_t bytes, uint64_t *offset)
{
	const size_t end =
		(writer->end + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

	*offset = writer->end;
	if (end > writer->bytes)
		return NULL;
	writer->end = end;
	return writer->parcel + *offset;
}

/* Writes the transactions that decide about the rows of a block. */
static void
write_xids(Writer *writer, WaExtentHead *head, uint32_t block)
{
	const uint64_t first = fuzz_below(&writer->state, 3 * head->settled);
	const uint64_t more = fuzz_below(&writer->state, 3);

	if (head->block_lsn[block] == 0)
		return;
	head->first_xid[block] = first < head->settled ? 0 : first;
	head->last_xid[block] = first < head->settled ? first : first + more;
}

/* Writes the blocks. */
static void
write_blocks(Writer *writer, WaExtentHead *head, const FuzzExtent *extent)
{
	head->nblocks = 1 + extent->nblocks % WA_EXTENT_BLOCKS;
	for (uint32_t i = 0; i < head->nblocks; i++)
	{
		const bool is_cached = fuzz_below(&writer->state, 4) != 0;

		head->block_lsn[i] = is_cached ? 1 + i : 0;
		if (is_cached)
			head->nrows += (uint32_t) fuzz_below(
				&writer->state, extent->block_rows % 64 + UINT64_C(1));
		head->row_end[i] = head->nrows;
		write_xids(writer, head, i);
	}
}

/* Writes the values of a column, those of TEXT below the number of texts. */
static void
write_values(Writer *writer, const WaExtentHead *head, WaExtentColumn *column,
			 bool has_nulls, bool has_display)
{
	const WaForm form = (WaForm) column->form;
	const size_t width = wa_form_width(form);
	uint8_t *values = take(writer, head->nrows * width, &column->values);
	uint8_t *validity =
		has_nulls ? take(writer, head->nrows, &column->validity) : NULL;
	uint8_t *display =
		has_display ? take(writer, head->nrows, &column->display) : NULL;

	for (uint32_t row = 0; row < head->nrows; row++)
	{
		const uint64_t bits = fuzz_random(&writer->state);
		const int64_t number =
			bits % 3 == 0 ? (int64_t) bits >> 8 : (int64_t) (bits % 50);
		WaInt128 value = {(uint64_t) number, number >> 63};

		if (form == WA_FORM_BOOL)
			value.lo &= 1;
		if (form == WA_FORM_TEXT)
			value.lo %= column->ntexts;
		if (values != NULL)
			memcpy(values + row * width, &value, width);
		if (validity != NULL)
			validity[row] = (bits >> 20 & 3) != 0;
		if (display != NULL)
			display[row] = (uint8_t) ((bits >> 30) % (column->scale + 1));
	}
}

/* Writes the texts of a column. */
static void
write_texts(Writer *writer, WaExtentColumn *column)
{
	uint8_t *text = take(writer, column->ntexts * MAX_TEXT, &column->text);
	uint8_t *ends =
		take(writer, column->ntexts * sizeof(uint32_t), &column->text_ends);
	uint32_t end = 0;

	for (uint64_t i = 0; i < column->ntexts && text != NULL && ends != NULL;
		 i++)
	{
		const size_t length = fuzz_below(&writer->state, MAX_TEXT + 1);

		memset(text + end, 'a' + (int) fuzz_below(&writer->state, 3), length);
		end += (uint32_t) length;
		memcpy(ends + i * sizeof(end), &end, sizeof(end));
	}
	column->text_bytes = end;
}

/* Writes a column. */
static void
write_column(Writer *writer, const WaExtentHead *head, WaExtentColumn *column,
			 const FuzzColumn *chosen)
{
	const WaForm form = (WaForm) (chosen->form % WA_FORM_COUNT);
	const bool is_decimal = wa_form_kind(form) == WA_VECTOR_DECIMAL;
	const uint32_t scales = form == WA_FORM_DECIMAL128
								? WA_WIDE_MAX_SCALE + 1
								: WA_DECIMAL_MAX_SCALE + 1;

	column->name = fuzz_column_name(chosen->attribute, form);
	column->form = form;
	if (head->family.root != 0)
		column->family_attribute = chosen->family_attribute % 32;
	if (is_decimal)
		column->scale = chosen->scale % scales;
	if (form == WA_FORM_TEXT)
		column->ntexts = 1 + chosen->ntexts % 2048;
	write_values(writer, head, column, (chosen->flags & FUZZ_COLUMN_NULLS) != 0,
				 is_decimal && (chosen->flags & FUZZ_COLUMN_DISPLAY) != 0);
	if (form == WA_FORM_TEXT)
		write_texts(writer, column);
	if ((chosen->flags & FUZZ_COLUMN_ODD) != 0)
		column->odd[0] = chosen->flags;
}

/* Makes changes, of one to eight bytes each, beginning at multiples of so many. */
static void
change(uint8_t *parcel, size_t bytes, size_t place, const uint64_t *words,
	   size_t nwords)
{
	for (size_t i = 0; i + 1 < nwords; i += 2)
	{
		const size_t width = (size_t) 1 << (words[i] >> 32 & 3);
		const size_t at =
			(place + (words[i] & UINT32_MAX)) % bytes / width * width;

		memcpy(parcel + at, &words[i + 1], width);
	}
}

void
fuzz_extent_write(uint8_t *parcel, size_t bytes, size_t place,
				  const uint64_t *words, size_t nwords)
{
	Writer writer = {.parcel = parcel, .bytes = bytes, .end = place};
	FuzzExtent extent = {0};
	uint64_t offset;
	WaExtentHead *head;

	if (nwords < EXTENT_WORDS || place % ALIGNMENT != 0 || place > bytes)
		return;
	memcpy(&extent, words, sizeof(extent));
	words += EXTENT_WORDS;
	nwords -= EXTENT_WORDS;
	writer.state = extent.seed;
	head = (WaExtentHead *) (void *) take(&writer, sizeof(*head), &offset);
	if (head == NULL)
		return;
	memset(head, 0, sizeof(*head));
	head->relation = fuzz_relation(extent.relation);
	head->number = extent.number;
	head->family = fuzz_family(extent.relation);
	head->position = extent.position;
	head->settled = 1 + extent.seed % 8;
	head->is_patch = (extent.ncolumns & FUZZ_EXTENT_PATCH) != 0;
	write_blocks(&writer, head, &extent);
	for (uint32_t i = 0; i < extent.ncolumns % 17U && nwords > 0; i++)
	{
		FuzzColumn column;

		memcpy(&column, words, sizeof(column));
		words++;
		nwords--;
		write_column(&writer, head, &head->columns[head->ncolumns++], &column);
	}
	change(parcel, bytes, place, words, nwords);
}
