/*
 * test_chunks.c
 *		Pieces of chunks: none overlaps another, and what is freed is given back.
 *
 *	test_chunks [SEED]
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/chunks.h"
#include "test/unit/check.h"

#define PIECES  200
#define ROUNDS  3000
#define THREADS 4
#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

#define MB ((size_t) 1024 * 1024)

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
			wa_chunks_free(&chunks, piece->place);
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

/* Takes pieces of 1 MB and marks them. */
static bool
take_pieces(Piece *pieces, int count)
{
	for (int i = 0; i < count; i++)
	{
		pieces[i] = (Piece){wa_chunks_get(&chunks, MB), MB, (uint8_t) (i + 1)};
		EXPECT(pieces[i].place != NULL);
		mark_piece(&pieces[i]);
	}
	return true;
}

/*
 * Tells whether the process has as much more memory as the chunks say, about.  With sanitizers it
 * has memory of theirs, too, in pages as large as the system likes.
 */
static bool
is_as_counted(size_t before)
{
	const size_t resident = resident_bytes();
	const size_t counted = wa_chunks_bytes(&chunks);

	if (IS_SANITIZED)
		return true;
	return resident + 4 * MB > before && resident - before < counted + 4 * MB &&
		   counted < resident - before + 8 * MB;
}

/* What is freed goes back to the system, though one piece of 16 stays. */
static bool
test_giving_back(void)
{
	Piece pieces[256];
	const size_t before = resident_bytes() - wa_chunks_bytes(&chunks);

	EXPECT(take_pieces(pieces, 256));
	EXPECT(wa_chunks_bytes(&chunks) >= 256 * MB);
	EXPECT(is_as_counted(before));
	for (int i = 0; i < 256; i++)
		if (i % 16 != 0)
			wa_chunks_free(&chunks, pieces[i].place);
	EXPECT(wa_chunks_bytes(&chunks) <= 80 * MB);
	EXPECT(is_as_counted(before));
	for (int i = 0; i < 256; i += 16)
	{
		EXPECT(has_mark(&pieces[i]));
		wa_chunks_free(&chunks, pieces[i].place);
	}
	EXPECT(wa_chunks_bytes(&chunks) <= 32 * MB);
	EXPECT(is_as_counted(before));
	return true;
}

/* What is freed is used again: others that are as large, or smaller, need no more. */
static bool
test_reuse(void)
{
	Piece pieces[256];
	size_t bytes;

	EXPECT(take_pieces(pieces, 256));
	bytes = wa_chunks_bytes(&chunks);
	for (int round = 0; round < 20; round++)
	{
		for (int i = round % 3; i < 256; i += 3)
		{
			EXPECT(has_mark(&pieces[i]));
			wa_chunks_free(&chunks, pieces[i].place);
			pieces[i].bytes = MB - (size_t) round * 64;
			pieces[i].place = wa_chunks_get(&chunks, pieces[i].bytes);
			EXPECT(pieces[i].place != NULL);
			mark_piece(&pieces[i]);
		}
		EXPECT(wa_chunks_bytes(&chunks) <= bytes + 32 * MB);
	}
	for (int i = 0; i < 256; i++)
	{
		EXPECT(has_mark(&pieces[i]));
		wa_chunks_free(&chunks, pieces[i].place);
	}
	return true;
}

/* Pieces of a few sizes come and go at random: little is free between them. */
static bool
test_fragments(void)
{
	static Piece pieces[1000];
	uint64_t state = seed;
	size_t used = 0;

	for (int i = 0; i < 50000; i++)
	{
		Piece *piece =
			&pieces[i < 1000 ? (uint64_t) i : next_random(&state) % 1000];
		void *old = piece->place;
		const size_t old_bytes = piece->bytes;

		/* as of 55,000 rows of 1, 2, 4 or 8 bytes each, and a few more or less */
		piece->bytes = ((size_t) 55000 + next_random(&state) % 512)
						   << next_random(&state) % 4 &
					   ~(size_t) 63;
		piece->place = wa_chunks_get(&chunks, piece->bytes);
		EXPECT(piece->place != NULL);
		used += piece->bytes - old_bytes;
		if (old != NULL)
			wa_chunks_free(&chunks, old);
		EXPECT(i < 1000 || wa_chunks_bytes(&chunks) <= used / 4 * 5 + 32 * MB);
	}
	for (int i = 0; i < 1000; i++)
		wa_chunks_free(&chunks, pieces[i].place);
	return true;
}

static const struct
{
	const char *name;
	bool (*run)(void);
} tests[] = {
	{"pieces", test_pieces},           {"threads", test_threads},
	{"giving back", test_giving_back}, {"reuse", test_reuse},
	{"fragments", test_fragments},
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
