/*
 * fuzz_rows.c
 *		Making columns; see fuzz_rows.h.
 */
#include <string.h>

#include "core/decimal.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_rows.h"

/* Arrays of columns begin at multiples of this, and have no other size. */
#define ALIGNMENT 64

static WaText
fuzz_text(const void *context, int32_t code)
{
	static const char *const texts[FUZZ_TEXTS] = {
		"",    "a",   "a ", "a  ", "b",    "ab",
		"ab ", "abc", " ",  "  ",  "\xff", "a longer text"};

	(void) context;
	return (WaText){texts[code], strlen(texts[code])};
}

/* Returns an array of so many bytes. */
static void *
make_array(size_t bytes)
{
	void *array = aligned_alloc(ALIGNMENT, (bytes / ALIGNMENT + 1) * ALIGNMENT);

	FUZZ_EXPECT(array != NULL);
	memset(array, 0, (bytes / ALIGNMENT + 1) * ALIGNMENT);
	return array;
}

/* Returns a form of a kind. */
static WaForm
choose_form(WaVectorKind kind, uint64_t *state)
{
	WaForm form;

	do
		form = (WaForm) fuzz_below(state, WA_FORM_COUNT);
	while (wa_form_kind(form) != kind);
	return form;
}

/* Returns a number: small, of any size, or a special one. */
static WaInt128
choose_number(uint64_t *state)
{
	static const uint64_t special[] = {0,
									   1,
									   UINT64_MAX,
									   INT64_MAX,
									   (uint64_t) 1 << 63,
									   INT32_MAX,
									   UINT64_C(0x3ff0000000000000),
									   UINT64_C(0x7ff0000000000000),
									   UINT64_C(0xfff0000000000000),
									   UINT64_C(0x7ff8000000000000),
									   UINT64_C(0x7fefffffffffffff),
									   UINT64_C(0x7f7fffff7f7fffff)};
	uint64_t word = fuzz_random(state);

	switch (fuzz_below(state, 4))
	{
		case 0:
			word = special[fuzz_below(state, sizeof(special) / 8)];
			break;
		case 1:
			break;
		default:
			word = word % 100;
			break;
	}
	return (WaInt128){word, fuzz_below(state, 4) == 0
								? (int64_t) fuzz_random(state) >> 16
								: (int64_t) word >> 63};
}

/* Stores a value of a row that is not NULL. */
static void
store_value(void *values, WaForm form, size_t row, uint64_t *state)
{
	WaInt128 number = choose_number(state);

	switch (form)
	{
		case WA_FORM_BOOL:
			((uint64_t *) values)[row / 64] |= (number.lo & 1) << row % 64;
			return;
		case WA_FORM_TEXT:
			number.lo %= FUZZ_TEXTS;
			break;
		case WA_FORM_DECIMAL128:
			if (!wa_is_wide_decimal(wa_int128_get(number)))
				number.hi = 0;
			break;
		default:
			break;
	}
	memcpy((char *) values + row * wa_form_width(form), &number,
		   wa_form_width(form));
}

const WaTextCodes fuzz_texts = {.ncodes = FUZZ_TEXTS, .text = fuzz_text};

void
fuzz_rows_make(WaColumnRows *rows, WaVectorKind kind, size_t nrows,
			   uint64_t *state)
{
	const WaForm form = choose_form(kind, state);
	const bool has_nulls = fuzz_below(state, 2) == 0;
	const bool has_display =
		kind == WA_VECTOR_DECIMAL && fuzz_below(state, 2) == 0;
	const int scales =
		form == WA_FORM_DECIMAL128 ? WA_WIDE_MAX_SCALE : WA_DECIMAL_MAX_SCALE;
	void *values = make_array(wa_form_bytes(form, nrows));
	uint8_t *validity = has_nulls ? make_array(nrows) : NULL;
	uint8_t *display = has_display ? make_array(nrows) : NULL;

	*rows = (WaColumnRows){.form = form,
						   .values = values,
						   .validity = validity,
						   .display = display};
	if (kind == WA_VECTOR_DECIMAL)
		rows->scale = (uint8_t) fuzz_below(state, (uint64_t) scales + 1);
	for (size_t row = 0; row < nrows; row++)
	{
		const bool is_null = has_nulls && fuzz_below(state, 4) == 0;

		if (!is_null)
			store_value(values, form, row, state);
		if (validity != NULL)
			validity[row] = !is_null;
		if (display != NULL)
			display[row] =
				(uint8_t) fuzz_below(state, rows->scale + UINT64_C(1));
	}
}

void
fuzz_rows_free(WaColumnRows *rows)
{
	free((void *) (uintptr_t) rows->values);
	free((void *) (uintptr_t) rows->validity);
	free((void *) (uintptr_t) rows->display);
}
