/*
 * collect_texts.c
 *		The texts of a column of an extent; see collect_texts.h.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "core/resident.h"
#include "core/words.h"
#include "resident/collect_texts.h"

/* Bytes and texts that there is room for at first. */
#define FIRST_BYTES (256 * 1024)
#define FIRST_TEXTS 1024

/* Texts that are remembered, each in the one place that its key has. */
#define RECENT_BITS  12
#define RECENT_TEXTS (1 << RECENT_BITS)

/*
 * After so many rows texts are no longer looked for if less than this part of
 * them has been found.
 */
#define TRIAL_ROWS  4096
#define FOUND_SHARE 4

void
wa_texts_begin(WaCollectedTexts *texts)
{
	texts->ntexts = 0;
	texts->nbytes = 0;
	texts->looked_for = 0;
	texts->found = 0;
	if (texts->recent != NULL)
		memset(texts->recent, 0, RECENT_TEXTS * sizeof(*texts->recent));
}

/* Sees to it that there is memory for more texts of so many bytes together. */
static void
reserve(WaCollectedTexts *texts, uint32_t more, uint64_t more_bytes)
{
	uint32_t needed = texts->ntexts + more;
	uint64_t needed_bytes = texts->nbytes + more_bytes;

	if (texts->recent == NULL)
	{
		texts->recent = palloc0(RECENT_TEXTS * sizeof(*texts->recent));
		texts->room = Max(needed, FIRST_TEXTS);
		texts->ends = palloc(texts->room * sizeof(*texts->ends));
		texts->bytes_room = Max(needed_bytes, FIRST_BYTES);
		texts->bytes =
			MemoryContextAllocHuge(CurrentMemoryContext, texts->bytes_room);
	}
	if (needed > texts->room)
	{
		texts->room = Max(needed, 2 * texts->room);
		texts->ends =
			repalloc_huge(texts->ends, texts->room * sizeof(*texts->ends));
	}
	if (needed_bytes > texts->bytes_room)
	{
		texts->bytes_room = Max(needed_bytes, 2 * texts->bytes_room);
		texts->bytes = repalloc_huge(texts->bytes, texts->bytes_room);
	}
}

/*
 * Returns a key of a text.  Up to eight bytes, texts of the same length have the
 * same key only if they are equal.
 */
static inline uint64_t
key_of(const char *data, uint32_t length)
{
	const char *last = data + length - sizeof(uint64_t);
	uint64_t state = length;

	if (length <= sizeof(uint64_t))
		return wa_string_head(data, length);
	for (; data < last; data += sizeof(uint64_t))
		state = wa_mix64(state, wa_load64(data));
	return wa_mix64(state, wa_load64(last));
}

/* Returns where a text of a key is remembered. */
static inline WaRecentText *
place_of(const WaCollectedTexts *texts, uint64_t key)
{
	uint64_t mixed = key * UINT64CONST(0x9E3779B97F4A7C15);

	return &texts->recent[mixed >> (64 - RECENT_BITS)];
}

/* Tells whether what is remembered is a text of a key. */
static inline bool
is_text(const WaCollectedTexts *texts, const WaRecentText *recent,
		const WaText *text, uint64_t key)
{
	if (recent->key != key || recent->length != text->length ||
		recent->next == 0)
		return false;
	return text->length <= sizeof(key) ||
		   memcmp(texts->bytes + texts->ends[recent->next - 1] - text->length,
				  text->data, text->length) == 0;
}

/* Adds a text, which there is room for; returns its number. */
static inline uint32_t
add_text(WaCollectedTexts *texts, const WaText *text)
{
	if (text->length > 0)
		memcpy(texts->bytes + texts->nbytes, text->data, text->length);
	texts->nbytes += text->length;
	texts->ends[texts->ntexts] = (uint32_t) texts->nbytes;
	return texts->ntexts++;
}

/* Adds those texts that are not remembered. */
static void
append_new(WaCollectedTexts *texts, const WaText *values, uint32_t nrows,
		   uint32_t *numbers)
{
	uint32_t before = texts->ntexts;

	for (uint32_t i = 0; i < nrows; i++)
	{
		uint64_t key = key_of(values[i].data, values[i].length);
		WaRecentText *recent = place_of(texts, key);

		if (!is_text(texts, recent, &values[i], key))
		{
			recent->key = key;
			recent->length = values[i].length;
			recent->next = add_text(texts, &values[i]) + 1;
		}
		numbers[i] = recent->next - 1;
	}
	texts->looked_for += nrows;
	texts->found += nrows - (texts->ntexts - before);
}

bool
wa_texts_append(WaCollectedTexts *texts, const WaText *values, uint32_t nrows,
				uint32_t *numbers)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < nrows; i++)
	{
		if (values[i].length > WA_MAX_TEXT_BYTES)
			return false;
		bytes += values[i].length;
	}
	if (texts->nbytes + bytes > PG_UINT32_MAX ||
		texts->ntexts + nrows > WA_MAX_EXTENT_TEXTS)
		return false;
	reserve(texts, nrows, bytes);
	if (texts->looked_for < TRIAL_ROWS ||
		texts->found >= texts->looked_for / FOUND_SHARE)
		append_new(texts, values, nrows, numbers);
	else
		for (uint32_t i = 0; i < nrows; i++)
			numbers[i] = add_text(texts, &values[i]);
	return true;
}
