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

/* A place where texts are written. */
typedef struct Place
{
	uint8_t *next;
	uint64_t room; /* bytes */
} Place;

/* Writes bytes; returns false if there is no room. */
static bool
write_bytes(Place *place, const void *bytes, size_t length)
{
	if (length > place->room)
		return false;
	if (length > 0)
		memcpy(place->next, bytes, length);
	place->next += length;
	place->room -= length;
	return true;
}

/*
 * Writes the text of a code; returns false if there is no room.  The empty text has
 * the first code: another that is empty has none yet.
 */
static bool
write_text(Place *place, const WaDictionary *dictionary, uint32_t code)
{
	const WaText text = wa_dictionary_text(dictionary, (int32_t) code);
	const uint32_t length = text.length == 0 && code != WA_DICTIONARY_EMPTY
								? WA_NO_TEXT
								: (uint32_t) text.length;

	if (place->room < sizeof(length) + text.length)
		return false;
	return write_bytes(place, &length, sizeof(length)) &&
		   write_bytes(place, text.data, text.length);
}

/* Writes the texts of codes from `first` on, and all of the head of them. */
static void
write_texts(const WaDictionary *dictionary, uint32_t first, Place place,
			WaTextsHead *head)
{
	const uint64_t room = place.room;

	head->dictionary = dictionary->number;
	head->texts = wa_dictionary_added(dictionary);
	head->ncodes = wa_dictionary_count(dictionary);
	for (uint32_t code = first; code < head->ncodes; code++)
	{
		if (!write_text(&place, dictionary, code))
			break;
		head->count++;
	}
	head->bytes += room - place.room;
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
		dictionary = relation->records[place].dictionary;
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
		write_texts(dictionary, texts->first,
					(Place){place + sizeof(head), texts->room - sizeof(head)},
					&head);
	memcpy(place, &head, sizeof(head));
	wa_dictionary_release(dictionary);
	return head.bytes;
}
