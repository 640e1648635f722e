/*
 * checksum.c
 *		CRC-32C by the processor's instruction where it has one; see checksum.h.
 *
 * The instruction takes eight bytes in three cycles, but one can begin in each: long
 * inputs are taken as three streams side by side, whose checksums are joined by what
 * so many zeros behind it make of a checksum.  That is linear, so a table for each
 * byte of the checksum tells it.
 */
#include <stdbool.h>
#include <string.h>

#include "core/checksum.h"

#define POLYNOMIAL UINT32_C(0x82F63B78) /* its bits reversed */

#define SLICES       8
#define STREAM_BYTES ((size_t) 1024)

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

#endif

/* Runs before anything else of the program or library does. */
__attribute__((constructor)) static void
fill_tables(void)
{
	fill_slices();
#ifdef __x86_64__
	__builtin_cpu_init();
	has_instruction = __builtin_cpu_supports("sse4.2") != 0;
	fill_shifts();
#endif
}

uint32_t
wa_checksum_by_tables(uint32_t checksum, const void *bytes, size_t length)
{
	return ~update_by_tables(~checksum, bytes, length);
}

uint32_t
wa_checksum(uint32_t checksum, const void *bytes, size_t length)
{
#ifdef __x86_64__
	if (has_instruction)
		return ~update(~checksum, bytes, length);
#endif
	return wa_checksum_by_tables(checksum, bytes, length);
}
