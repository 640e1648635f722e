/*
 * plan_text.h
 *		Texts of plans and expressions, by which those of several queries are compared.
 */
#ifndef WA_SCAN_PLAN_TEXT_H
#define WA_SCAN_PLAN_TEXT_H

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"

/*
 * Appends the text of a plan or an expression, or of a list of them, without what makes no
 * difference to their rows and values: costs, places in the text of the query, names.  A
 * relation has its place in a list of their numbers in the query, to which new ones are
 * added: texts that are equal have relations of the same places, whatever these are.
 */
extern void wa_plan_text_append(StringInfo to, List **relations,
								const void *node);

#endif /* WA_SCAN_PLAN_TEXT_H */
