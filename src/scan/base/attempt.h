/*
 * attempt.h
 *		Evaluates what may raise an error that is not to be raised, at least not now.
 *
 * An error may leave behind locks, pins, references to cache entries, snapshots or
 * another user's id, whoever has raised it: pg_xact_status() complains about its argument
 * with a lightweight lock held.  So who goes on after one has evaluated in a
 * subtransaction, which is rolled back.  In parallel mode there are none, and nothing may
 * be tried.
 *
 * Only errors of expressions are kept: those of any class but a lack of resources, a
 * query that is cancelled, the system's, damaged data, and what ends transactions.
 * Classes such as 42 are among them, as what is tried may be for no row of the query, and
 * PostgreSQL raises no error of such: has_table_privilege(name, ...) does for a name in a
 * row that WHERE leaves out.  No error is lost: that there was one is noted as "not
 * known", so whoever needs the value evaluates it again, outside, and raises it then.
 */
#ifndef WA_SCAN_ATTEMPT_H
#define WA_SCAN_ATTEMPT_H

/* Attempts, which share a subtransaction until one of them fails. */
typedef struct WaAttempts WaAttempts;

/*
 * Has `run` make attempts, in the current memory context.  Not to be called in parallel
 * mode, unless there are no errors to be kept: then `run` gets NULL.
 */
extern void wa_attempts_run(bool keeps_errors,
							void (*run)(WaAttempts *attempts, void *context),
							void *context);

/*
 * Calls back, from within `run`, in the current memory context.  Returns false if that has
 * raised an error of an expression; others are raised.  NULL: all are.
 */
extern bool wa_attempts_try(WaAttempts *attempts,
							void (*callback)(void *context), void *context);

#endif /* WA_SCAN_ATTEMPT_H */
