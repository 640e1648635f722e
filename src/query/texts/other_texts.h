/*
 * other_texts.h
 *		Texts beside those that have numbers in a query, which come with it as values.
 */
#ifndef WA_QUERY_OTHER_TEXTS_H
#define WA_QUERY_OTHER_TEXTS_H

#include "core/must_check.h"
#include "query/base/column_rows.h"
#include "query/base/value.h"
#include "query/groups/group_dictionary.h"

/* All 0: there are none. */
typedef struct WaOtherTexts
{
	WaKeyDictionary *dictionary;
	uint32_t
		first; /* numbers from it on are codes of these, but for those of the query; */
	uint32_t end; /* all are below */
} WaOtherTexts;

/*
 * Puts the number of a text in its place, which it gets if it has none among the codes.  The
 * dictionary is made in the arena.  Returns false if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_other_texts_number(WaOtherTexts *others,
												const WaTextCodes *codes,
												WaArena *arena,
												WaQueryValue *value);

/* Returns the text of a number. */
extern WaText wa_other_texts_text(const WaOtherTexts *others,
								  const WaTextCodes *codes, uint32_t number);

#endif /* WA_QUERY_OTHER_TEXTS_H */
