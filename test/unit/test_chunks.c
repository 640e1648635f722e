/*
 * test_chunks.c
 *		Pieces of chunks: none overlaps another, and what is freed is given back.
 *
 *	test_chunks [SEED]
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "daemon/base/chunks.h"
#include "test/unit/check.h"

#define PIECES  200
#define ROUNDS  3000
#define THREADS 4
#define MB      ((size_t) 1024 * 1024)

static WaChunks chunks;
static uint64_t seed = 7;

/* A piece that is in use, or place NULL. */
typedef struct Piece
{
	uint8_t *place;
	size_t bytes;
	uint8_t mark; /* its first and last byte, and some between */
} Piece;

/* Writes a piece's mark. */
static void
mark_piece(Piece *piece)
{
	for (size_t i = 0; i < piece->bytes; i += 64)
		piece->place[i] = piece->mark;
	piece->place[piece->bytes - 1] = piece->mark;
}

/* Tells whether the mark is still there. */
static bool
has_mark(const Piece *piece)
{
	for (size_t i = 0; i < piece->bytes; i += 64)
		if (piece->place[i] != piece->mark)
			return false;
	return piece->place[piece->bytes - 1] == piece->mark;
}

/* Returns a random size that a piece may have. */
static size_t
pick_bytes(uint64_t *state)
{
	const size_t most = next_random(state) % 8 == 0 ? WA_CHUNKS_MAX_BYTES
													: WA_CHUNKS_MAX_BYTES / 32;

	return WA_CHUNKS_MIN_BYTES +
		   next_random(state) % ((most - WA_CHUNKS_MIN_BYTES) / 64 + 1) * 64;
}

/* Takes and frees pieces at random. */
static bool
use_pieces(uint64_t state)
{
	static _Thread_local Piece pieces[PIECES];

	memset(pieces, 0, sizeof(pieces));
	for (int i = 0; i < ROUNDS + PIECES; i++)
	{
		Piece *piece = i < ROUNDS ? &pieces[next_random(&state) % PIECES]
								  : &pieces[i - ROUNDS];

		if (piece->place != NULL)
		{
			EXPECT(has_mark(piece));
			wa_chunks_free(piece->place, piece->bytes);
			piece->place = NULL;
			continue;
		}
		if (i >= ROUNDS)
			continue;
		piece->bytes = pick_bytes(&state);
		piece->mark = (uint8_t) next_random(&state);
		piece->place = wa_chunks_get(&chunks, piece->bytes);
		EXPECT(piece->place != NULL && (uintptr_t) piece->place % 64 == 0);
		mark_piece(piece);
	}
	return true;
}

/* One thread. */
static bool
test_pieces(void)
{
	return use_pieces(seed);
}

static void *
thread_main(void *arg)
{
	return use_pieces(seed + (uintptr_t) arg) ? arg : NULL;
}

/* Several threads, which share chunks where there are few processors. */
static bool
test_threads(void)
{
	pthread_t threads[THREADS];
	bool passed = true;

	for (uintptr_t i = 0; i < THREADS; i++)
		EXPECT(pthread_create(&threads[i], NULL, thread_main,
							  (void *) (i + 1)) == 0);
	for (int i = 0; i < THREADS; i++)
	{
		void *result;

		(void) pthread_join(threads[i], &result);
		passed &= result != NULL;
	}
	return passed;
}

/* Returns the bytes of memory that the process has. */
static size_t
resident_bytes(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file != NULL)
	{
		if (fscanf(file, "%*u %lu", &pages) != 1)
			pages = 0;
		(void) fclose(file);
	}
	return pages * (size_t) sysconf(_SC_PAGESIZE);
}

/* What is freed goes back to the system, though one piece of eight stays. */
static bool
test_giving_back(void)
{
	Piece pieces[128];
	size_t before;

	/* The kernel would make huge pages anew of those that are left, in a while. */
	EXPECT(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0);
	before = resident_bytes();

	for (int i = 0; i < 128; i++)
	{
		pieces[i] = (Piece){wa_chunks_get(&chunks, MB), MB, (uint8_t) (i + 1)};
		EXPECT(pieces[i].place != NULL);
		mark_piece(&pieces[i]);
	}
	EXPECT(resident_bytes() >= before + 100 * MB);
	for (int i = 0; i < 128; i++)
		if (i % 8 != 0)
			wa_chunks_free(pieces[i].place, MB);
	EXPECT(resident_bytes() <= before + 50 * MB);
	for (int i = 0; i < 128; i += 8)
	{
		EXPECT(has_mark(&pieces[i]));
		wa_chunks_free(pieces[i].place, MB);
	}
	EXPECT(resident_bytes() <= before + 8 * MB);
	return true;
}

/* What is kept is found by who wants as much, or little less, and has its memory. */
static bool
test_keeping(void)
{
	Piece pieces[32];
	const size_t before = resident_bytes();

	for (int i = 0; i < 32; i++)
	{
		pieces[i] = (Piece){wa_chunks_get(&chunks, MB), MB, (uint8_t) (i + 1)};
		EXPECT(pieces[i].place != NULL);
		mark_piece(&pieces[i]);
	}
	for (int i = 0; i < 32; i++)
		wa_chunks_keep(&chunks, pieces[i].place, MB);
	EXPECT(resident_bytes() <= before + 24 * MB);
	EXPECT(resident_bytes() >= before + 8 * MB);
	/* The last 16 are there, but half of one is too much to be left over. */
	pieces[0].place = wa_chunks_get(&chunks, MB / 2);
	for (int i = 16; i < 32; i++)
		EXPECT(pieces[0].place != pieces[i].place);
	wa_chunks_free(pieces[0].place, MB / 2);
	for (int i = 16; i < 32; i++)
	{
		uint8_t *place = wa_chunks_get(&chunks, MB - (size_t) i * 4096);

		EXPECT(place == pieces[i].place);
		EXPECT(place[0] == i + 1 && place[MB - (size_t) i * 4096 - 1] == 0);
		wa_chunks_free(place, MB - (size_t) i * 4096);
	}
	EXPECT(resident_bytes() <= before + 4 * MB);
	return true;
}

static const struct
{
	const char *name;
	bool (*run)(void);
} tests[] = {
	{"pieces", test_pieces},
	{"threads", test_threads},
	{"giving back", test_giving_back},
	{"keeping", test_keeping},
};

int
main(int argc, char **argv)
{
	if (argc > 1)
		seed = strtoull(argv[1], NULL, 10);
	wa_chunks_init(&chunks);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		check(tests[i].run(), tests[i].name);
	return finish_checks();
}
