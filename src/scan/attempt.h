/*
 * attempt.h
 *		Runs what may fail in a subtransaction, of which nothing is left if it does.
 */
#ifndef WA_SCAN_ATTEMPT_H
#define WA_SCAN_ATTEMPT_H

/*
 * Calls back in a subtransaction, in the current memory context.  Returns false if that
 * raised an error that is_expected holds for; others are raised.  Not to be called in
 * parallel mode, which has no subtransactions.
 */
extern bool wa_attempt(void (*callback)(void *context), void *context,
					   bool (*is_expected)(const ErrorData *error));

/*
 * Tells whether an error may be one of an expression, which PostgreSQL would raise for
 * the first of the rows that have it, and not one of the query or the server as a whole.
 */
extern bool wa_error_is_of_expression(const ErrorData *error);

#endif /* WA_SCAN_ATTEMPT_H */
