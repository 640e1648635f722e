/*
 * fuzz_seeds.c
 *		Writes the inputs that fuzzing begins with.
 *
 *	fuzz_seeds FOLDER
 *
 * Each target gets a folder of its own in it, which has to be there.
 */
#include <string.h>

#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_seeds.h"

#define MAX_PATH_BYTES 4096

static const char *folder;
static int nseeds;

void
fuzz_seed_word(FuzzSeed *seed, uint64_t word)
{
	FUZZ_EXPECT(seed->nwords < FUZZ_SEED_WORDS);
	seed->words[seed->nwords++] = word;
}

void
fuzz_seed_bytes(FuzzSeed *seed, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i += sizeof(uint64_t))
	{
		const size_t left = length - i;
		uint64_t word = 0;

		memcpy(&word, (const char *) bytes + i,
			   left < sizeof(word) ? left : sizeof(word));
		fuzz_seed_word(seed, word);
	}
}

void
fuzz_seed_step(FuzzSeed *seed, uint8_t what, uint8_t a, uint32_t b,
			   const void *bytes, size_t length)
{
	const size_t nwords = (length + sizeof(uint64_t) - 1) / sizeof(uint64_t);

	fuzz_seed_word(seed, fuzz_step_word(what, a, nwords, b));
	fuzz_seed_bytes(seed, bytes, length);
}

void
fuzz_seed_write(FuzzSeed *seed, const char *target)
{
	char path[MAX_PATH_BYTES];
	FILE *file;

	(void) snprintf(path, sizeof(path), "%s/%s/seed_%03d", folder, target,
					nseeds++);
	file = fopen(path, "wb");
	FUZZ_EXPECT(file != NULL);
	FUZZ_EXPECT(fwrite(seed->words, sizeof(uint64_t), seed->nwords, file) ==
				seed->nwords);
	FUZZ_EXPECT(fclose(file) == 0);
	seed->nwords = 0;
}

int
main(int argc, char **argv)
{
	if (argc != 2)
	{
		(void) fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return EXIT_FAILURE;
	}
	folder = argv[1];
	fuzz_seeds_query();
	fuzz_seeds_answer();
	fuzz_seeds_extent();
	fuzz_seeds_request();
	return EXIT_SUCCESS;
}
