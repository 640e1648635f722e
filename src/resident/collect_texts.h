/*
 * collect_texts.h
 *		The texts of a column of an extent while the extent is read.
 *
 * Rows have numbers of texts.  Equal texts mostly have the same number, but need
 * not: what is remembered of the texts that there are is of fixed size, and given
 * up where texts seldom come again.
 */
#ifndef WA_RESIDENT_COLLECT_TEXTS_H
#define WA_RESIDENT_COLLECT_TEXTS_H

#include "core/must_check.h"
#include "core/vector.h"

/* A text that is remembered. */
typedef struct WaRecentText
{
	uint64_t key;    /* the text itself if it has at most eight bytes */
	uint32_t length; /* of the text */
	uint32_t next;   /* its number, plus 1; 0: there is none */
} WaRecentText;

typedef struct WaCollectedTexts
{
	uint32_t ntexts;
	uint32_t room;  /* for ends */
	uint32_t *ends; /* of each text in the bytes */
	char *bytes;
	uint64_t nbytes;
	uint64_t bytes_room;
	WaRecentText *recent; /* by key */
	uint32_t looked_for;  /* rows whose texts have been looked for ... */
	uint32_t found;       /* ... and found */
} WaCollectedTexts;

/* Forgets all texts, but no memory. */
extern void wa_texts_begin(WaCollectedTexts *texts);

/*
 * Adds the texts of nrows rows, a vector's or fewer, and stores their numbers.
 * Returns false, with nothing added, if there would be too many bytes.  Memory is
 * that of the current context.
 */
extern WA_MUST_CHECK bool wa_texts_append(WaCollectedTexts *texts,
										  const WaText *values, uint32_t nrows,
										  uint32_t *numbers);

#endif /* WA_RESIDENT_COLLECT_TEXTS_H */
