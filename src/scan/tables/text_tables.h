/*
 * text_tables.h
 *		Tables (core/lookup_table.h) of functions of one column of texts, for queries to take
 *		along.
 *
 * warpaggd has the texts of a column as codes of a dictionary.  The function is
 * evaluated once for each text of it, by PostgreSQL's own code, here.  Where that
 * raises an error the function is not known: whoever comes upon it has to compute
 * it otherwise.
 */
#ifndef WA_SCAN_TEXT_TABLES_H
#define WA_SCAN_TEXT_TABLES_H

#include "core/lookup_table.h"
#include "core/protocol.h"
#include "scan/tables/column_function.h"
#include "scan/tables/key_rows.h"

/* What is known of the column that a table is wanted for. */
typedef struct WaTextColumn
{
	const WaRelation *relation;
	const WaColumnName *name;
	const WaResidency *residency;
} WaTextColumn;

/*
 * Finds or makes the table of a function.  If the result is TEXT and ranked is set,
 * its texts ascend by the order of a collation.  Returns NULL if there can be none.
 * It stays for the query.  May use the parcel (client/parcel.h).
 */
extern const WaLookupTable *wa_text_table_find(const WaColumnFunction *function,
											   const WaTextColumn *column,
											   bool ranked, Oid collation);

/*
 * Makes the table from the texts of a column to the rows with these as their keys.  Returns
 * NULL if there can be none.  May use the parcel.
 */
extern const WaLookupTable *wa_text_table_of_rows(const WaKeyRows *rows,
												  const WaTextColumn *column);

#endif /* WA_SCAN_TEXT_TABLES_H */
