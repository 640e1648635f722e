/*
 * clock.h
 *		What a process spends its time with while it reads a table.
 *
 * The clock is read a few times a batch of rows, and never if nobody asks.
 */
#ifndef WA_SCAN_CLOCK_H
#define WA_SCAN_CLOCK_H

#include "portability/instr_time.h"

typedef enum WaPhase
{
	WA_PHASE_NONE,
	WA_PHASE_READING,   /* pages or files, tuples, vectors of columns */
	WA_PHASE_COMPUTING, /* expressions, groups and aggregates */
	WA_PHASE_COUNT
} WaPhase;

typedef struct WaClock
{
	bool is_on;
	WaPhase phase;
	instr_time since;                /* when it began */
	double spent_ms[WA_PHASE_COUNT]; /* in phases that have ended */
} WaClock;

/* Ends the phase and begins another. */
static inline void
wa_clock_enter(WaClock *clock, WaPhase phase)
{
	instr_time now;
	instr_time spent;

	if (!clock->is_on || clock->phase == phase)
		return;
	INSTR_TIME_SET_CURRENT(now);
	spent = now;
	INSTR_TIME_SUBTRACT(spent, clock->since);
	clock->spent_ms[clock->phase] += INSTR_TIME_GET_MILLISEC(spent);
	clock->phase = phase;
	clock->since = now;
}

#endif /* WA_SCAN_CLOCK_H */
