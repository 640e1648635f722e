/*
 * store_texts.c
 *		The texts of a column's dictionary: see store.h.
 *
 * The lock is not held while they are written, but a reference is: texts that are
 * there do not change.
 */
#include <string.h>

#include "daemon/store/store.h"
#include "daemon/store/store_find.h"

/*
 * Writes a text with its length, if there is room; returns how many bytes, or 0.  The
 * empty text has the first code: another that is empty has none yet.
 */
static uint64_t
write_text(const WaDictionary *dictionary, uint32_t code, uint8_t *place,
		   uint64_t room)
{
	const WaText text = wa_dictionary_text(dictionary, (int32_t) code);
	const uint32_t length = text.length == 0 && code != WA_DICTIONARY_EMPTY
								? WA_NO_TEXT
								: (uint32_t) text.length;
	const uint64_t bytes = sizeof(length) + text.length;

	if (bytes > room)
		return 0;
	memcpy(place, &length, sizeof(length));
	if (text.length > 0)
		memcpy(place + sizeof(length), text.data, text.length);
	return bytes;
}

/* Writes the texts of codes from `first` on, and all of the head of them. */
static void
write_texts(const WaDictionary *dictionary, uint32_t first, uint8_t *place,
			uint64_t room, WaTextsHead *head)
{
	head->dictionary = dictionary->number;
	head->texts = wa_dictionary_added(dictionary);
	head->ncodes = wa_dictionary_count(dictionary);
	for (uint32_t code = first; code < head->ncodes; code++)
	{
		const uint64_t bytes = write_text(dictionary, code, place + head->bytes,
										  room - head->bytes);

		if (bytes == 0)
			break;
		head->bytes += bytes;
		head->count++;
	}
}

/* Takes a reference to the dictionary of a column; NULL: there is none. */
static WaDictionary *
take_dictionary(WaStore *store, const WaTextsMessage *texts)
{
	WaDictionary *dictionary = NULL;
	const WaStoredRelation *relation;
	int64_t place = -1;

	(void) pthread_mutex_lock(&store->lock);
	relation = wa_map_find_relation(store, &texts->relation);
	if (relation != NULL)
		place = wa_map_find_record(relation, &texts->column);
	if (place >= 0)
		dictionary = relation->records[place].shared->dictionary;
	if (dictionary != NULL)
		wa_dictionary_retain(dictionary);
	(void) pthread_mutex_unlock(&store->lock);
	return dictionary;
}

uint64_t
wa_store_texts(WaStore *store, const WaTextsMessage *texts, uint8_t *place)
{
	WaDictionary *dictionary = take_dictionary(store, texts);
	WaTextsHead head = {.bytes = sizeof(head)};

	if (dictionary != NULL)
		write_texts(dictionary, texts->first, place, texts->room, &head);
	memcpy(place, &head, sizeof(head));
	wa_dictionary_release(dictionary);
	return head.bytes;
}
