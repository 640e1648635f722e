/*
 * check.h
 *		The few lines of test harness that the unit tests share.
 *
 * Each check prints a line; the last line of a program is
 * "N passed, N failed", its exit status tells whether any failed.
 */
#ifndef WA_TEST_CHECK_H
#define WA_TEST_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Ends the test function with false, telling where, unless it holds. */
#define EXPECT(condition)                                             \
	do                                                                \
	{                                                                 \
		if (!(condition))                                             \
		{                                                             \
			(void) fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, \
						   __LINE__, #condition);                     \
			return false;                                             \
		}                                                             \
	} while (0)

static int checks_passed;
static int checks_failed;

/* Counts one check and prints its line. */
static inline void
check(bool passed, const char *name)
{
	printf("%s - %s\n", passed ? "ok" : "not ok", name);
	if (passed)
		checks_passed++;
	else
		checks_failed++;
}

/* Prints the last line and returns the exit status. */
static inline int
finish_checks(void)
{
	printf("%d passed, %d failed\n", checks_passed, checks_failed);
	return checks_failed == 0 && checks_passed > 0 ? 0 : 1;
}

/* A small random number generator (xorshift64*), the same everywhere. */
static inline uint64_t
next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* Makes a bit of words (core/bits.h) what it is to be. */
static inline void
put_bit(void *words, uint64_t bit, bool value)
{
	uint64_t *word = (uint64_t *) words + bit / 64;

	*word &= ~(UINT64_C(1) << bit % 64);
	*word |= (uint64_t) value << bit % 64;
}

#endif /* WA_TEST_CHECK_H */
