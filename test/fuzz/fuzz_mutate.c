/*
 * fuzz_mutate.c
 *		Changing inputs word by word; see fuzz.h.
 */
#include <string.h>

#include "test/fuzz/fuzz.h"

/* Words that are put in or taken out at a time at most. */
#define MAX_RUN 8

/* Returns a number at which checks go wrong. */
static uint64_t
interesting(uint64_t *state)
{
	static const uint64_t numbers[] = {0,
									   1,
									   2,
									   3,
									   4,
									   7,
									   8,
									   18,
									   19,
									   38,
									   39,
									   63,
									   64,
									   65,
									   127,
									   128,
									   255,
									   416,
									   511,
									   512,
									   1023,
									   1024,
									   4095,
									   4096,
									   INT16_MAX,
									   UINT16_MAX,
									   INT32_MAX,
									   (uint64_t) INT32_MIN,
									   UINT32_MAX,
									   (uint64_t) 1 << 32,
									   (uint64_t) 1 << 52,
									   (uint64_t) 1 << 61,
									   (uint64_t) 1 << 62,
									   (uint64_t) 1 << 63,
									   UINT64_C(1000000000000000000),
									   UINT64_C(0x3ff0000000000000),
									   UINT64_C(0x7ff0000000000000),
									   UINT64_C(0x7ff8000000000000),
									   UINT64_C(0x7fefffffffffffff),
									   INT64_MAX,
									   UINT64_MAX - 7,
									   UINT64_MAX};

	return numbers[fuzz_below(state, sizeof(numbers) / sizeof(numbers[0]))];
}

/* Changes a number of 1, 2, 4 or 8 bytes that lies where such a number may lie. */
static void
change_number(uint64_t *words, size_t nwords, uint64_t *state)
{
	const size_t bytes = (size_t) 1 << fuzz_below(state, 4);
	const size_t places = nwords * sizeof(uint64_t) / bytes;
	uint8_t *place = (uint8_t *) words + fuzz_below(state, places) * bytes;
	uint64_t number = 0;

	memcpy(&number, place, bytes);
	switch (fuzz_below(state, 4))
	{
		case 0:
			number = interesting(state);
			break;
		case 1:
			number += fuzz_below(state, 17) - 8;
			break;
		case 2:
			number ^= (uint64_t) 1 << fuzz_below(state, bytes * 8);
			break;
		default:
			number = fuzz_random(state);
			break;
	}
	memcpy(place, &number, bytes);
}

/* Copies a run of words over others, or puts it between them, or takes one out. */
static size_t
move_words(uint64_t *words, size_t nwords, size_t room, uint64_t *state)
{
	const size_t from = fuzz_below(state, nwords);
	const size_t to = fuzz_below(state, nwords);
	const size_t most = nwords - (from > to ? from : to);
	size_t count = 1 + fuzz_below(state, MAX_RUN);
	uint64_t copy[MAX_RUN];

	if (count > most)
		count = most;
	memcpy(copy, words + from, count * sizeof(uint64_t));
	switch (fuzz_below(state, 3))
	{
		case 0:
			if (nwords + count > room)
				return nwords;
			memmove(words + to + count, words + to,
					(nwords - to) * sizeof(uint64_t));
			memcpy(words + to, copy, count * sizeof(uint64_t));
			return nwords + count;
		case 1:
			memmove(words + to, words + to + count,
					(nwords - to - count) * sizeof(uint64_t));
			return nwords - count;
		default:
			memcpy(words + to, copy, count * sizeof(uint64_t));
			return nwords;
	}
}

size_t
fuzz_mutate_words(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	const size_t room = max_size / sizeof(uint64_t);
	uint64_t state = seed;
	uint64_t changes = 1 + fuzz_below(&state, 4);
	size_t nwords = size / sizeof(uint64_t);
	uint64_t *words;

	if (nwords < 2 || fuzz_below(&state, 8) == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	words = malloc(room * sizeof(uint64_t));
	FUZZ_EXPECT(words != NULL);
	memcpy(words, data, nwords * sizeof(uint64_t));
	for (; changes > 0 && nwords > 0; changes--)
		if (fuzz_below(&state, 4) == 0)
			nwords = move_words(words, nwords, room, &state);
		else
			change_number(words, nwords, &state);
	memcpy(data, words, nwords * sizeof(uint64_t));
	free(words);
	return nwords * sizeof(uint64_t);
}

/* Puts the beginning of one input before the end of another. */
size_t
LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
						  const uint8_t *data2, size_t size2, uint8_t *out,
						  size_t max_out, unsigned seed)
{
	const size_t room = max_out / sizeof(uint64_t);
	uint64_t state = seed;
	size_t head = fuzz_below(&state, size1 / sizeof(uint64_t) + 1);
	size_t tail = fuzz_below(&state, size2 / sizeof(uint64_t) + 1);

	if (head > room)
		head = room;
	if (tail > room - head)
		tail = room - head;
	if (head > 0)
		memcpy(out, data1, head * sizeof(uint64_t));
	if (tail > 0)
		memcpy(out + head * sizeof(uint64_t),
			   data2 + (size2 / sizeof(uint64_t) - tail) * sizeof(uint64_t),
			   tail * sizeof(uint64_t));
	return (head + tail) * sizeof(uint64_t);
}
