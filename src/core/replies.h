/*
 * replies.h
 *		Checking what warpaggd answers before anything in it is believed.
 *
 * All of these are functions of the bytes alone, which are copies that nobody can
 * change any more.  A message is sound in itself before (wa_message_is_sound).  They
 * tell whether numbers can be right, for memory to be allocated, blocks left out and
 * plans made by them; not whether they are.
 */
#ifndef WA_CORE_REPLIES_H
#define WA_CORE_REPLIES_H

#include "core/must_check.h"
#include "core/protocol.h"

/* Columns of a LIST at most: their descriptions are not copied beyond. */
#define WA_MAX_LISTED ((uint32_t) 4 << 20)

#ifdef __cplusplus
extern "C"
{
#endif

/* Tells whether an answer may be one to the query, whose sources have so many blocks. */
WA_MUST_CHECK bool wa_answer_is_sound(const WaRunMessage *run, uint64_t nblocks,
									  const WaAnswerMessage *answer);

/*
 * Counts the blocks that the words of a relation's extents, WA_EXTENT_WORDS of each, tell
 * of; returns false if there are others than its nblocks blocks.
 */
bool wa_used_count(const uint64_t *used, uint32_t nblocks, uint64_t *blocks);

/*
 * Tells whether the words of the blocks that an answer covers, of all sources of its query,
 * are those of so many of their blocks.
 */
WA_MUST_CHECK bool wa_used_is_sound(const uint64_t *used,
									const WaRunSource *sources,
									uint32_t nsources, uint64_t blocks);

/* Tells whether what there is said to be of columns of so many sources may be. */
WA_MUST_CHECK bool wa_residency_is_sound(const WaResidentMessage *resident,
										 uint32_t nsources);

/* Tells whether these may be the complete blocks of its sources. */
WA_MUST_CHECK bool
wa_complete_blocks_are_sound(const WaResidentMessage *resident,
							 const uint64_t *blocks, uint32_t nsources);

/* Tells whether the state of an extent may be one, by so many columns asked for. */
WA_MUST_CHECK bool wa_extent_state_is_sound(const WaExtentState *state,
											uint32_t number, uint32_t ncolumns);

/* Tells whether a column may be resident so. */
WA_MUST_CHECK bool wa_resident_column_is_sound(const WaResidentColumn *column);

/* Tells whether texts may come so as was asked for. */
WA_MUST_CHECK bool wa_texts_head_is_sound(const WaTextsMessage *texts,
										  const WaTextsHead *head);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_REPLIES_H */
