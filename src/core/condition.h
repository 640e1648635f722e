/*
 * condition.h
 *		What the supervisor says of the device process, for all to read.
 *
 * It is part of the counters' file.  Only the supervisor writes: the two times
 * of its pings as single words, at any moment; the fields all together, under a
 * sequence number that is odd meanwhile.  Readers take a copy, and another if
 * the number has changed.
 */
#ifndef WA_CORE_CONDITION_H
#define WA_CORE_CONDITION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define WA_REASON_BYTES 256

/* Readers give up after so many tries: the supervisor ended while writing. */
#define WA_CONDITION_TRIES 1000

/* Times are PostgreSQL's: microseconds since 2000.  0: never, or unknown. */
typedef struct WaConditionFields
{
	int32_t supervisor_pid;
	int32_t pid;     /* of the device process; 0: there is none */
	int32_t version; /* of the protocol that it speaks; 0: not heard from yet */
	int32_t unused;
	int64_t up_since;             /* of the device process */
	int64_t last_failure;         /* of the last one that ended unasked */
	int64_t next_start;           /* if there is none */
	char reason[WA_REASON_BYTES]; /* of the last failure */
} WaConditionFields;

typedef struct WaCondition
{
	uint32_t sequence;
	uint32_t unused;
	int64_t looked_ms; /* when the supervisor was last at work */
	int64_t heard_ms;  /* when the device process last answered it */
	WaConditionFields fields;
} WaCondition;

/* Returns milliseconds since some moment in the past, the same for all. */
static inline int64_t
wa_condition_now_ms(void)
{
	struct timespec now;

	(void) clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Has everybody see new fields.  For the one writer. */
static inline void
wa_condition_write(WaCondition *condition, const WaConditionFields *fields)
{
	const uint32_t sequence = condition->sequence;

	__atomic_store_n(&condition->sequence, sequence + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(&condition->fields, fields, sizeof(*fields));
	__atomic_store_n(&condition->sequence, sequence + 2, __ATOMIC_RELEASE);
}

/* Copies the fields; returns false if they are only half written. */
static inline bool
wa_condition_read(const WaCondition *condition, WaConditionFields *fields)
{
	for (int i = 0; i < WA_CONDITION_TRIES; i++)
	{
		const uint32_t before =
			__atomic_load_n(&condition->sequence, __ATOMIC_ACQUIRE);

		memcpy(fields, &condition->fields, sizeof(*fields));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		fields->reason[WA_REASON_BYTES - 1] = '\0';
		if (before % 2 == 0 &&
			__atomic_load_n(&condition->sequence, __ATOMIC_RELAXED) == before)
			return true;
	}
	return false;
}

#endif /* WA_CORE_CONDITION_H */
