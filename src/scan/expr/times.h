/*
 * times.h
 *		What functions do to times: which only move them, and which bring them
 *		to steps, such as the start of a day.
 */
#ifndef WA_SCAN_TIMES_H
#define WA_SCAN_TIMES_H

#include "nodes/primnodes.h"

#include "core/must_check.h"

/*
 * An expression that is a function of a time and changes in steps:
 * whole(step(moved(base))).  moved adds intervals and changes time zones.  It is
 * not a function of anything else that varies.
 */
typedef struct WaTimeSteps
{
	Node *base;  /* a date, a timestamp or a timestamptz */
	Node *moved; /* a timestamp or timestamptz; of a date: NULL */
	Node *step;  /* of a date: NULL, as each date is a step */
} WaTimeSteps;

/* Tells whether a type is date, timestamp or timestamptz. */
extern bool wa_is_time(Oid type);

/* Tells whether the expression is one, and of what. */
extern WA_MUST_CHECK bool wa_time_steps(Node *expression, WaTimeSteps *steps);

/*
 * Tells whether a function with such arguments raises no errors for any times
 * that wa_time_is_safe holds for.
 */
extern bool wa_time_function_is_safe(Oid function, List *args);

/*
 * Tells whether a function that steps never goes back as time goes on; others,
 * such as the hour of a day, do so from one day, or one hour, to the next.
 */
extern bool wa_time_step_ascends(Oid function);

/*
 * Tells whether a moved time, over a Var, is this but for an offset from UTC that
 * changes once within a day at most, as that of any zone that has a name does.
 */
extern bool wa_time_is_shifted(Node *moved);

/* The first and the last day since 2000 for which wa_time_is_safe holds. */
#define WA_SAFE_FIRST_DAY INT64CONST(-1460000)
#define WA_SAFE_LAST_DAY  INT64CONST(36499999)

/*
 * Tells whether what an integer of a vector stands for is no time, or a finite one that is
 * so close that moving it does not lead out of the range of times.
 */
extern bool wa_time_is_safe(Oid type, int64 value);

#endif /* WA_SCAN_TIMES_H */
