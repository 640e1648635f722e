/*
 * checksum.c
 *		CRC-32C by the processor's instructions where it has them; see checksum.h.
 *
 * Processors with wide products fold long inputs: four vectors are each multiplied,
 * without carries, by what moves them on to the next four, and added to these; what is
 * left of all of them is one vector with the same checksum.  After V. Gopal and others,
 * "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel,
 * 2009.
 *
 * On others, the instruction that makes checksums takes eight bytes in three cycles,
 * but one can begin in each: long inputs are taken as three streams side by side,
 * whose checksums are joined by what so many zeros behind it make of a checksum.  That
 * is linear, so a table for each byte of the checksum tells it.
 */
#include <stdbool.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "core/checksum.h"

#define POLYNOMIAL UINT32_C(0x82F63B78) /* its bits reversed */

#define SLICES       8
#define STREAM_BYTES ((size_t) 1024)
#define VECTORS      4

/* What `slice` zeros behind a byte make of it; filled when the program is loaded. */
static uint32_t slices[SLICES][256];

/* Returns four bytes, the first of them lowest. */
static inline uint32_t
four_bytes(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t) bytes[1] << 8 | (uint32_t) bytes[2] << 16 |
		   (uint32_t) bytes[3] << 24;
}

/* Tells what the bytes, with the checksum before them, come to: by tables. */
static uint32_t
update_by_tables(uint32_t state, const uint8_t *bytes, size_t length)
{
	for (; length >= SLICES; bytes += SLICES, length -= SLICES)
	{
		state ^= four_bytes(bytes);
		state = slices[7][state & 0xff] ^ slices[6][state >> 8 & 0xff] ^
				slices[5][state >> 16 & 0xff] ^ slices[4][state >> 24] ^
				slices[3][bytes[4]] ^ slices[2][bytes[5]] ^
				slices[1][bytes[6]] ^ slices[0][bytes[7]];
	}
	for (; length > 0; bytes++, length--)
		state = slices[0][(state ^ *bytes) & 0xff] ^ state >> 8;
	return state;
}

/* Fills the tables that all processors can use. */
static void
fill_slices(void)
{
	for (uint32_t byte = 0; byte < 256; byte++)
	{
		uint32_t state = byte;

		for (int bit = 0; bit < 8; bit++)
			state = state >> 1 ^ ((state & 1) != 0 ? POLYNOMIAL : 0);
		slices[0][byte] = state;
	}
	for (int slice = 1; slice < SLICES; slice++)
		for (int byte = 0; byte < 256; byte++)
		{
			const uint32_t before = slices[slice - 1][byte];

			slices[slice][byte] = slices[0][before & 0xff] ^ before >> 8;
		}
}

#ifdef __x86_64__

static bool has_instruction;
static bool has_wide_products;

/* What STREAM_BYTES zeros behind it make of a byte of a checksum, by its place. */
static uint32_t shifts[4][256];

/* Returns eight bytes. */
static inline uint64_t
word_at(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Returns what STREAM_BYTES zeros behind it make of a checksum. */
static inline uint32_t
shift(uint32_t state)
{
	return shifts[0][state & 0xff] ^ shifts[1][state >> 8 & 0xff] ^
		   shifts[2][state >> 16 & 0xff] ^ shifts[3][state >> 24];
}

/* As update_by_tables, of three streams, one behind the other. */
__attribute__((target("sse4.2"))) static uint32_t
update_streams(uint32_t state, const uint8_t *bytes)
{
	uint64_t first = state;
	uint64_t second = 0;
	uint64_t third = 0;

	for (size_t i = 0; i < STREAM_BYTES; i += sizeof(uint64_t))
	{
		first = __builtin_ia32_crc32di(first, word_at(bytes + i));
		second =
			__builtin_ia32_crc32di(second, word_at(bytes + STREAM_BYTES + i));
		third = __builtin_ia32_crc32di(third,
									   word_at(bytes + 2 * STREAM_BYTES + i));
	}
	return shift(shift((uint32_t) first) ^ (uint32_t) second) ^
		   (uint32_t) third;
}

/* As update_by_tables, by the instruction. */
__attribute__((target("sse4.2"))) static uint32_t
update(uint32_t state, const uint8_t *bytes, size_t length)
{
	uint64_t word = state;

	for (; length >= 3 * STREAM_BYTES; bytes += 3 * STREAM_BYTES)
	{
		word = update_streams((uint32_t) word, bytes);
		length -= 3 * STREAM_BYTES;
	}
	for (; length >= sizeof(word); bytes += sizeof(word))
	{
		word = __builtin_ia32_crc32di(word, word_at(bytes));
		length -= sizeof(word);
	}
	for (; length > 0; bytes++, length--)
		word = __builtin_ia32_crc32qi((uint32_t) word, *bytes);
	return (uint32_t) word;
}

/* What moves 16 bytes on: a multiplier for each half of them. */
typedef struct Move
{
	uint64_t first;
	uint64_t second;
} Move;

/* By all vectors, and by one. */
static Move far_move;
static Move near_move;

#define WIDE __attribute__((target("sse4.2,avx512f,vpclmulqdq")))

/* Moves the four parts of a vector on and adds another. */
WIDE static inline __m512i
move_on(__m512i vector, __m512i by, __m512i other)
{
	const __m512i first = _mm512_clmulepi64_epi128(vector, by, 0x00);
	const __m512i second = _mm512_clmulepi64_epi128(vector, by, 0x11);

	return _mm512_xor_si512(_mm512_xor_si512(first, second), other);
}

/* As update_by_tables, of whole vectors, VECTORS at least. */
WIDE static uint32_t
fold(uint32_t state, const uint8_t *bytes, size_t length)
{
	const uint8_t *end = bytes + length;
	const __m512i far =
		_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *) &far_move));
	const __m512i near =
		_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *) &near_move));
	__m512i vectors[VECTORS];
	uint8_t left[sizeof(vectors[0])];

	for (int i = 0; i < VECTORS; i++, bytes += sizeof(vectors[0]))
		vectors[i] = _mm512_loadu_si512(bytes);
	vectors[0] = _mm512_xor_si512(
		vectors[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int) state)));
	for (; (size_t) (end - bytes) >= sizeof(vectors); bytes += sizeof(vectors))
		for (int i = 0; i < VECTORS; i++)
			vectors[i] =
				move_on(vectors[i], far,
						_mm512_loadu_si512(bytes + i * sizeof(vectors[0])));
	for (int i = 1; i < VECTORS; i++)
		vectors[0] = move_on(vectors[0], near, vectors[i]);
	for (; bytes < end; bytes += sizeof(vectors[0]))
		vectors[0] = move_on(vectors[0], near, _mm512_loadu_si512(bytes));
	_mm512_storeu_si512(left, vectors[0]);
	/*
	 * GCC 12 does not see that they are left full, and from then on each step from the
	 * process's SSE code to libc's AVX, as in a memcpy, took 100 ns.
	 */
	_mm256_zeroupper();
	return update(0, left, sizeof(left));
}

/* Fills the tables that join streams. */
static void
fill_shifts(void)
{
	static const uint8_t zeros[STREAM_BYTES];

	for (int place = 0; place < 4; place++)
		for (uint32_t bit = 0; bit < 8; bit++)
		{
			const uint32_t state = UINT32_C(1) << (8 * place) << bit;
			const uint32_t shifted =
				update_by_tables(state, zeros, STREAM_BYTES);

			for (uint32_t byte = 0; byte < 256; byte++)
				if ((byte >> bit & 1) != 0)
					shifts[place][byte] ^= shifted;
		}
}

/*
 * Returns what moves 16 bytes on by `distance` bytes.  A half multiplied by x^n, whose
 * product has a factor x too many, moves by n + 1 bits; the first half is 64 bits
 * farther from where it goes.
 */
static Move
move_by(size_t distance)
{
	static const uint8_t zeros[VECTORS * sizeof(__m512i) + sizeof(uint64_t)];
	const uint32_t power_7 = UINT32_C(1) << (31 - 7);

	return (Move){(uint64_t) update_by_tables(power_7, zeros,
											  distance + sizeof(uint64_t) - 1)
					  << 32,
				  (uint64_t) update_by_tables(power_7, zeros, distance - 1)
					  << 32};
}

#endif

/* Runs before anything else of the program or library does. */
__attribute__((constructor)) static void
fill_tables(void)
{
	fill_slices();
#ifdef __x86_64__
	__builtin_cpu_init();
	has_instruction = __builtin_cpu_supports("sse4.2") != 0;
	has_wide_products = has_instruction &&
						__builtin_cpu_supports("avx512f") != 0 &&
						__builtin_cpu_supports("vpclmulqdq") != 0;
	fill_shifts();
	far_move = move_by(VECTORS * sizeof(__m512i));
	near_move = move_by(sizeof(__m512i));
#endif
}

uint32_t
wa_checksum_by_tables(uint32_t checksum, const void *bytes, size_t length)
{
	return ~update_by_tables(~checksum, bytes, length);
}

uint32_t
wa_checksum_by_words(uint32_t checksum, const void *bytes, size_t length)
{
#ifdef __x86_64__
	if (has_instruction)
		return ~update(~checksum, bytes, length);
#endif
	return wa_checksum_by_tables(checksum, bytes, length);
}

uint32_t
wa_checksum(uint32_t checksum, const void *bytes, size_t length)
{
#ifdef __x86_64__
	const size_t folded = length - length % sizeof(__m512i);

	if (has_wide_products && folded >= VECTORS * sizeof(__m512i))
	{
		checksum = ~fold(~checksum, bytes, folded);
		bytes = (const uint8_t *) bytes + folded;
		length -= folded;
	}
#endif
	return wa_checksum_by_words(checksum, bytes, length);
}
