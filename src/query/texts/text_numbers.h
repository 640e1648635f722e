/*
 * text_numbers.h
 *		From a query over texts to one over numbers that stand for them.
 *
 * Columns of texts have codes of a dictionary in their place (WaTextCodes), and texts that
 * come of a look-up are those of its table.  So a comparison with a constant becomes one
 * of codes, a list of codes, or a table.  Where texts of several columns, tables and
 * constants come together, they get numbers that these share (text_shared.c).  What
 * executes the query knows of no texts; its groups get them when they are written.
 */
#ifndef WA_QUERY_TEXT_NUMBERS_H
#define WA_QUERY_TEXT_NUMBERS_H

#include "query/base/column_rows.h"
#include "query/message/query.h"

typedef struct WaNumberedQuery
{
	const WaQuery *asked; /* the query that it was */

	/*
	 * Of INT where there were texts; aggregated columns keep their kind, which says how
	 * records are written.  No groups are to be chosen, or rolled up, where groups of several
	 * numbers may be one of the query's.
	 */
	WaQuery query;
	WaTopN
		rolled_top_n; /* of groups that are rolled up; the query has none then */

	/*
	 * Values of a register are listed for their groups (query/run/value_list.h), in place of the
	 * last columns.
	 */
	uint16_t listed;
	WaVectorKind listed_kind;
	uint32_t nlisted;                /* these columns; 0: there are none */
	const WaQueryRolled *listed_for; /* what is wanted of the values */
	const WaTextCodes *
		*key_texts; /* of each key's numbers; NULL: it is no text */
} WaNumberedQuery;

/*
 * Makes it, in the arena; inputs: the texts of each input that is TEXT.  Query and
 * texts live as long.  Returns NULL if there is not enough memory, or if there are more
 * texts to be numbered than is worth while.
 */
extern const WaNumberedQuery *wa_query_number_texts(WaArena *arena,
													const WaQuery *query,
													const WaTextCodes *inputs);

/*
 * Puts the text in place of the number that a key of a group has, as a writer of groups
 * wants it: of a bpchar blanks at the end are counted apart.
 */
extern void wa_query_text_of_number(const WaNumberedQuery *numbered,
									uint32_t key, WaQueryValue *value);

#endif /* WA_QUERY_TEXT_NUMBERS_H */
