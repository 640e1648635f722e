/*
 * test_checksum.c
 *		Checksums are CRC-32C, however they are computed and put together.
 */
#include <string.h>

#include "core/checksum.h"
#include "test/unit/check.h"

#define MOST_BYTES 10000

static uint64_t state = 21;

/* Computes a checksum bit by bit. */
static uint32_t
reference(const uint8_t *bytes, size_t length)
{
	uint32_t sum = UINT32_MAX;

	for (size_t i = 0; i < length; i++)
	{
		sum ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ ((sum & 1) != 0 ? UINT32_C(0x82F63B78) : 0);
	}
	return ~sum;
}

/* The examples of RFC 3720, appendix B.4, and the usual check value. */
static bool
test_known(void)
{
	uint8_t bytes[32];

	EXPECT(wa_checksum(0, "", 0) == 0);
	EXPECT(wa_checksum(0, "123456789", 9) == UINT32_C(0xE3069283));
	EXPECT(wa_checksum_by_tables(0, "123456789", 9) == UINT32_C(0xE3069283));
	memset(bytes, 0, sizeof(bytes));
	EXPECT(wa_checksum(0, bytes, sizeof(bytes)) == UINT32_C(0x8A9136AA));
	memset(bytes, 0xff, sizeof(bytes));
	EXPECT(wa_checksum(0, bytes, sizeof(bytes)) == UINT32_C(0x62A8AB43));
	for (uint8_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	EXPECT(wa_checksum(0, bytes, sizeof(bytes)) == UINT32_C(0x46DD794E));
	return true;
}

/* All lengths about those where another way begins, at any alignment. */
static bool
test_reference(const uint8_t *bytes)
{
	for (size_t i = 0; i < 4000; i++)
	{
		const size_t begin = (size_t) next_random(&state) % 64;
		const size_t length =
			i < 600 ? i : (size_t) next_random(&state) % (MOST_BYTES - begin);
		const uint32_t expected = reference(bytes + begin, length);

		EXPECT(wa_checksum(0, bytes + begin, length) == expected);
		EXPECT(wa_checksum_by_words(0, bytes + begin, length) == expected);
		EXPECT(wa_checksum_by_tables(0, bytes + begin, length) == expected);
	}
	return true;
}

/* The checksum of parts is that of the whole. */
static bool
test_parts(const uint8_t *bytes)
{
	const uint32_t whole = reference(bytes, MOST_BYTES);

	for (int i = 0; i < 1000; i++)
	{
		const size_t cut = (size_t) next_random(&state) % (MOST_BYTES + 1);
		const uint32_t part = wa_checksum(0, bytes, cut);

		EXPECT(wa_checksum(part, bytes + cut, MOST_BYTES - cut) == whole);
		EXPECT(wa_checksum_by_words(part, bytes + cut, MOST_BYTES - cut) ==
			   whole);
		EXPECT(wa_checksum_by_tables(part, bytes + cut, MOST_BYTES - cut) ==
			   whole);
	}
	return true;
}

/* Each single bit that is changed shows. */
static bool
test_damage(uint8_t *bytes)
{
	const uint32_t before = wa_checksum(0, bytes, MOST_BYTES);

	for (size_t i = 0; i < 8 * MOST_BYTES; i += 7)
	{
		bytes[i / 8] ^= (uint8_t) (1 << i % 8);
		EXPECT(wa_checksum(0, bytes, MOST_BYTES) != before);
		bytes[i / 8] ^= (uint8_t) (1 << i % 8);
	}
	return true;
}

#ifdef __x86_64__

/* Tells whether a vector register has anything in the upper half of its 256 bits. */
static bool
has_upper_halves(void)
{
	uint64_t halves[16][2];
	uint64_t any = 0;

#define STORE(n) "vextractf128 $1, %%ymm" #n ", 16*" #n "(%0)\n\t"
	__asm__ volatile(STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5)
						 STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11)
							 STORE(12) STORE(13) STORE(14) STORE(15)
					 :
					 : "r"(halves)
					 : "memory");
#undef STORE
	for (int i = 0; i < 16; i++)
		any |= halves[i][0] | halves[i][1];
	return any != 0;
}

#endif

/* What is computed afterwards does not have to wait for what vectors were left with. */
static bool
test_upper_halves(const uint8_t *bytes)
{
#ifdef __x86_64__
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx") == 0)
		return true;
	for (size_t length = 0; length < MOST_BYTES; length += 64)
	{
		(void) wa_checksum(0, bytes, length);
		EXPECT(!has_upper_halves());
	}
#endif
	return true;
}

int
main(void)
{
	static uint8_t bytes[MOST_BYTES];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t) next_random(&state);
	check(test_known(), "known checksums");
	check(test_reference(bytes), "checksums are those computed bit by bit");
	check(test_parts(bytes), "the checksum of parts is that of the whole");
	check(test_damage(bytes), "each changed bit shows");
	check(test_upper_halves(bytes), "no vector is left with an upper half");
	return finish_checks();
}
