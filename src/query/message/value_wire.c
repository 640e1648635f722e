/*
 * value_wire.c
 *		Values in messages; see value_wire.h.
 */
#include <string.h>

#include "query/groups/group_decimal.h"
#include "query/message/value_wire.h"

/* Flags of a value's first word, which has the scale and the length above. */
#define IS_NULL      1
#define IS_WIDE      2
#define ALL_FLAGS    (IS_NULL | IS_WIDE)
#define SCALE_SHIFT  8
#define LENGTH_SHIFT 32

/* A value of SQL is not larger. */
#define MAX_LENGTH 0x3FFFFF00

/* The largest display scale of a numeric. */
#define MAX_DISPLAY 0x3FFF

/* Tells whether the value of a kind is its text. */
static inline bool
is_text(WaVectorKind kind, bool is_wide)
{
	return kind == WA_VECTOR_TEXT || is_wide;
}

void
wa_value_write(WaWriter *writer, WaVectorKind kind, const WaQueryValue *value)
{
	bool is_wide =
		!value->is_null && kind == WA_VECTOR_DECIMAL && value->is_wide;
	uint64_t word = 0;

	if (value->is_null)
	{
		wa_writer_word(writer, IS_NULL);
		return;
	}
	if (is_text(kind, is_wide))
		word = (uint64_t) value->text.length << LENGTH_SHIFT;
	else if (kind == WA_VECTOR_DECIMAL)
		word = (uint64_t) value->scale << SCALE_SHIFT;
	wa_writer_word(writer, word | (is_wide ? IS_WIDE : 0));
	if (kind == WA_VECTOR_TEXT || kind == WA_VECTOR_DECIMAL)
		wa_writer_word(writer, value->shown);
	if (is_text(kind, is_wide))
		wa_writer_bytes(writer, value->text.data, value->text.length);
	else
		wa_writer_word(writer, (uint64_t) value->integer);
}

/* Tells whether what was read is a value of the kind. */
static bool
is_sound(WaVectorKind kind, uint64_t word, const WaQueryValue *value)
{
	uint64_t flags = word & 0xff;
	uint64_t length = word >> LENGTH_SHIFT;

	if ((word & 0xffff0000) != 0 || (flags & ~(uint64_t) ALL_FLAGS) != 0)
		return false;
	if (value->is_null)
		return word == IS_NULL;
	if ((value->is_wide || value->scale != 0) && kind != WA_VECTOR_DECIMAL)
		return false;
	switch (kind)
	{
		case WA_VECTOR_DECIMAL:
			return value->scale <= WA_DECIMAL_MAX_SCALE &&
				   value->shown <= MAX_DISPLAY &&
				   (value->is_wide ? wa_wide_decimal_is_sound(value->text)
								   : length == 0);
		case WA_VECTOR_TEXT:
			return value->shown <= MAX_LENGTH &&
				   length + value->shown <= MAX_LENGTH;
		case WA_VECTOR_BOOL:
			return length == 0 && (value->integer == 0 || value->integer == 1);
		default:
			return length == 0;
	}
}

void
wa_value_read(WaReader *reader, WaVectorKind kind, WaQueryValue *value)
{
	uint64_t word = wa_reader_word(reader);
	uint64_t shown;

	memset(value, 0, sizeof(*value));
	value->is_null = (word & IS_NULL) != 0;
	value->is_wide = (word & IS_WIDE) != 0;
	value->scale = (uint8_t) (word >> SCALE_SHIFT);
	if (!value->is_null)
	{
		if (kind == WA_VECTOR_TEXT || kind == WA_VECTOR_DECIMAL)
		{
			shown = wa_reader_word(reader);
			value->shown = shown > MAX_LENGTH ? UINT32_MAX : (uint32_t) shown;
		}
		if (is_text(kind, value->is_wide))
			value->text = wa_reader_bytes(reader, word >> LENGTH_SHIFT);
		else
			value->integer = (int64_t) wa_reader_word(reader);
	}
	if (!reader->failed && !is_sound(kind, word, value))
		reader->failed = true;
}
