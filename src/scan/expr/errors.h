/*
 * errors.h
 *		Which expressions may raise errors when PostgreSQL evaluates them, or run code that is
 *		not its own, and which parameters they have.
 */
#ifndef WA_SCAN_ERRORS_H
#define WA_SCAN_ERRORS_H

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

/*
 * Tells whether PostgreSQL may raise errors when it evaluates an expression over
 * Vars, or NULL, unless these are times that wa_time_is_safe does not hold for.
 */
extern bool wa_may_raise(Node *expression);

/* Tells whether there is a parameter of any kind in an expression. */
extern bool wa_has_parameter(Node *expression);

/* Tells whether an expression uses what a subselect, or an outer row, returns. */
extern bool wa_has_exec_param(Node *expression);

/* Returns the numbers of such parameters in an expression, added to a list. */
extern List *wa_exec_params(List *params, Node *expression);

/* Tells whether an expression may run code that is not the system's own. */
extern bool wa_runs_foreign_code(Node *expression);

/*
 * Tells whether an expression over Vars raises no errors, whatever they are, or,
 * if they are times, if wa_time_is_safe holds for these; and whether it depends
 * on nothing else but the time zone.
 */
extern bool wa_is_total(Node *expression);

#endif /* WA_SCAN_ERRORS_H */
