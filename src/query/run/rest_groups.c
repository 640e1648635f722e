/*
 * rest_groups.c
 *		Groups that a query brings along; see rest_groups.h.
 *
 * The message is read twice: first its texts get numbers, which threads are not to wait for.
 */
#include "query/run/rest_groups.h"
#include "query/message/partial_groups.h"
#include "query/texts/other_texts.h"

/* Texts of a key, with those that the groups have beside them. */
typedef struct KeyTexts
{
	const WaTextCodes *known; /* NULL: it is no text */
	WaOtherTexts others;
	WaTextCodes codes; /* of all */
} KeyTexts;

struct WaRestGroups
{
	const WaNumberedQuery *numbered;
	WaArena *arena;
	WaPartialShape shape;
	KeyTexts *texts;   /* of each key */
	WaRecord *records; /* of the columns of a group */
	uint64_t nothing;  /* the words of a record without rows */
};

/* The text of a code, as WaTextCodes has it. */
static WaText
text_of(const void *context, int32_t code)
{
	const KeyTexts *texts = context;

	return wa_other_texts_text(&texts->others, texts->known, (uint32_t) code);
}

/* Returns what columns of the message are, in the arena. */
static WaPartialColumn *
message_columns(WaArena *arena, const WaQuery *asked)
{
	WaPartialColumn *columns = wa_arena_alloc_zero(
		arena, (asked->ncolumns + (size_t) 1) * sizeof(*columns));

	for (uint32_t i = 0; columns != NULL && i < asked->ncolumns; i++)
		columns[i] = (WaPartialColumn){.kind = asked->columns[i].kind,
									   .ops = asked->columns[i].ops};
	return columns;
}

/* Makes what reads the message; NULL: there is not enough memory. */
static WaRestGroups *
make(WaArena *arena, const WaNumberedQuery *numbered)
{
	const WaQuery *asked = numbered->asked;
	WaRestGroups *rest = wa_arena_alloc_zero(arena, sizeof(*rest));

	if (rest == NULL)
		return NULL;
	rest->numbered = numbered;
	rest->arena = arena;
	rest->shape = (WaPartialShape){.nkeys = (int) asked->nkeys,
								   .ncolumns = (int) asked->ncolumns,
								   .keys = asked->keys,
								   .columns = message_columns(arena, asked)};
	rest->texts = wa_arena_alloc_zero(arena, (asked->nkeys + (size_t) 1) *
												 sizeof(*rest->texts));
	rest->records = wa_arena_alloc_zero(arena, (asked->ncolumns + (size_t) 1) *
												   sizeof(*rest->records));
	return arena->failed ? NULL : rest;
}

/* Begins to read the message; returns false if it is none of the shape, or there is no memory. */
static bool
open_message(const WaRestGroups *rest, WaPartialReader *reader)
{
	const WaQuery *asked = rest->numbered->asked;

	return wa_partial_reader_init(reader, rest->arena, &rest->shape) &&
		   wa_partial_open(reader, asked->rest,
						   asked->nrest * sizeof(uint64_t));
}

/* Puts numbers in the place of the texts of keys. */
static bool
number_keys(WaRestGroups *rest, WaQueryValue *keys)
{
	for (int i = 0; i < rest->shape.nkeys; i++)
	{
		KeyTexts *texts = &rest->texts[i];

		if (texts->known != NULL && !keys[i].is_null &&
			!wa_other_texts_number(&texts->others, texts->known, rest->arena,
								   &keys[i]))
			return false;
	}
	return true;
}

/* Tells whether all that a group has of columns are records. */
static bool
are_records(const WaRestGroups *rest, const WaPartialReader *reader)
{
	for (int i = 0; i < rest->shape.ncolumns; i++)
		if (reader->cells[i].bytes.data != NULL)
			return false;
	return true;
}

/* Notes the texts that keys have; returns false if blanks at the end of some do not count. */
static bool
note_texts(WaRestGroups *rest)
{
	for (int i = 0; i < rest->shape.nkeys; i++)
	{
		if (rest->shape.keys[i].blank_padded)
			return false;
		rest->texts[i].known = rest->numbered->key_texts[i];
	}
	return true;
}

/* Has the query know all texts of its keys. */
static void
add_texts(const WaRestGroups *rest)
{
	for (int i = 0; i < rest->shape.nkeys; i++)
	{
		KeyTexts *texts = &rest->texts[i];

		if (texts->others.dictionary == NULL)
			continue;
		texts->codes = *texts->known;
		texts->codes.context = texts;
		texts->codes.text = text_of;
		texts->codes.find = NULL;
		if (texts->others.end > texts->codes.ncodes)
			texts->codes.ncodes = texts->others.end;
		rest->numbered->key_texts[i] = &texts->codes;
	}
}

WaRestGroups *
wa_rest_groups_read(WaArena *arena, const WaNumberedQuery *numbered,
					bool *is_sound)
{
	WaRestGroups *rest = make(arena, numbered);
	WaPartialReader reader;

	*is_sound = true;
	if (rest == NULL)
		return NULL;
	*is_sound = note_texts(rest) && open_message(rest, &reader);
	while (*is_sound && wa_partial_next(&reader))
	{
		if (!number_keys(rest, reader.keys))
			return NULL;
		*is_sound = are_records(rest, &reader);
	}
	*is_sound &= arena->failed || !reader.reader.failed;
	if (arena->failed || !*is_sound)
		return NULL;
	add_texts(rest);
	return rest;
}

WaRunOutcome
wa_rest_groups_add(WaRestGroups *rest, WaQueryRun *run)
{
	WaRunOutcome outcome = WA_RUN_TAKEN;
	WaPartialReader reader;

	if (!open_message(rest, &reader))
		return WA_RUN_NO_MEMORY;
	while (outcome == WA_RUN_TAKEN && wa_partial_next(&reader))
	{
		if (!number_keys(rest, reader.keys))
			return WA_RUN_NO_MEMORY;
		for (int i = 0; i < rest->shape.ncolumns; i++)
		{
			rest->records[i] = reader.cells[i].record;
			if (rest->records[i].words == NULL)
				rest->records[i].words = &rest->nothing;
		}
		outcome = wa_query_run_add(run, reader.keys, rest->records);
	}
	return outcome;
}
