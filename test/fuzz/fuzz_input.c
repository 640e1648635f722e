/*
 * fuzz_input.c
 *		Reading inputs, and random numbers; see fuzz.h.
 */
#include <string.h>

#include "test/fuzz/fuzz.h"

void
fuzz_open(FuzzInput *input, const uint8_t *data, size_t size)
{
	input->nwords = size / sizeof(uint64_t);
	input->next = 0;
	input->words = malloc(input->nwords * sizeof(uint64_t) + 1);
	FUZZ_EXPECT(input->words != NULL);
	if (input->nwords > 0)
		memcpy(input->words, data, input->nwords * sizeof(uint64_t));
}

void
fuzz_close(FuzzInput *input)
{
	free(input->words);
}

uint64_t
fuzz_word(FuzzInput *input)
{
	return input->next < input->nwords ? input->words[input->next++] : 0;
}

size_t
fuzz_rest(const FuzzInput *input, const uint64_t **words)
{
	*words = input->words + input->next;
	return input->nwords - input->next;
}

bool
fuzz_next_step(FuzzInput *input, FuzzStep *step)
{
	const size_t left = input->nwords - input->next;
	uint64_t word;

	if (left == 0)
		return false;
	word = fuzz_word(input);
	step->what = (uint8_t) word;
	step->a = (uint8_t) (word >> 8);
	step->b = (uint32_t) (word >> 32);
	step->nwords = (uint16_t) (word >> 16);
	if (step->nwords > left - 1)
		step->nwords = left - 1;
	step->words = input->words + input->next;
	input->next += step->nwords;
	return true;
}

uint64_t
fuzz_step_word(uint8_t what, uint8_t a, size_t nwords, uint32_t b)
{
	return what | (uint64_t) a << 8 | (uint64_t) (uint16_t) nwords << 16 |
		   (uint64_t) b << 32;
}

uint64_t *
fuzz_copy(const uint64_t *words, size_t nwords)
{
	uint64_t *copy = malloc(nwords * sizeof(uint64_t) + 1);

	FUZZ_EXPECT(copy != NULL);
	if (nwords > 0)
		memcpy(copy, words, nwords * sizeof(uint64_t));
	return copy;
}

uint64_t
fuzz_random(uint64_t *state)
{
	*state =
		*state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 24 ^ *state << 24;
}

uint64_t
fuzz_below(uint64_t *state, uint64_t bound)
{
	return (fuzz_random(state) >> 8) % bound;
}
