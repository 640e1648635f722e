/*
 * store_family.c
 *		What relations of a family share; see store_family.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/store/store_family.h"

WaStoredFamily *
wa_family_find(const WaStore *store, const WaFamily *name)
{
	WaStoredFamily *family = store->families;

	while (family != NULL && memcmp(&family->name, name, sizeof(*name)) != 0)
		family = family->next;
	return family;
}

/*
 * Returns the family, made if need be, or NULL if there is no memory.  Its first relation
 * begins at the device that a relation by itself would.
 */
static WaStoredFamily *
make_family(WaStore *store, const WaFamily *name)
{
	WaStoredFamily *family = wa_family_find(store, name);

	if (family != NULL)
		return family;
	family = calloc(1, sizeof(*family));
	if (family == NULL)
		return NULL;
	family->name = *name;
	family->starts = store->starts++;
	family->next = store->families;
	store->families = family;
	return family;
}

bool
wa_family_join(WaStore *store, WaStoredRelation *relation, const WaFamily *name)
{
	WaStoredFamily *family;

	if (name->root == 0)
	{
		relation->start = store->starts++;
		return true;
	}
	family = make_family(store, name);
	if (family == NULL)
		return false;
	relation->family = family;
	relation->start = family->starts++;
	relation->order = family->joined++;
	relation->earlier = family->latest;
	if (relation->earlier != NULL)
		relation->earlier->later = relation;
	family->latest = relation;
	return true;
}

/* Frees a family that has no relations, so that no column shares anything. */
static void
free_family(WaStore *store, WaStoredFamily *family)
{
	WaStoredFamily **link = &store->families;

	while (*link != family)
		link = &(*link)->next;
	*link = family->next;
	free(family);
}

void
wa_family_leave(WaStore *store, WaStoredRelation *relation)
{
	WaStoredFamily *family = relation->family;

	if (family == NULL)
		return;
	if (relation->later != NULL)
		relation->later->earlier = relation->earlier;
	else
		family->latest = relation->earlier;
	if (relation->earlier != NULL)
		relation->earlier->later = relation->later;
	if (family->latest == NULL)
		free_family(store, family);
}

/* Tells whether a record has the number in the family that a head's column says. */
static bool
record_agrees(const WaColumnRecord *record, const WaExtentColumn *column)
{
	if (!record->exists)
		return true;
	if (record->name.attribute == column->name.attribute)
		return record->family_attribute == column->family_attribute;
	return column->family_attribute == 0 ||
		   record->family_attribute != column->family_attribute;
}

bool
wa_family_agrees(const WaStoredRelation *relation, const WaExtentHead *head)
{
	static const WaFamily none = {0, 0};
	const WaFamily *family =
		relation->family == NULL ? &none : &relation->family->name;

	if (memcmp(family, &head->family, sizeof(*family)) != 0)
		return false;
	for (uint32_t i = 0; i < relation->nrecords; i++)
		for (uint32_t j = 0; j < head->ncolumns; j++)
			if (!record_agrees(&relation->records[i], &head->columns[j]))
				return false;
	return true;
}

bool
wa_family_share(WaStoredRelation *relation, WaColumnRecord *record)
{
	WaSharedColumn *shared = NULL;
	WaColumnName name = record->name;

	name.attribute = record->family_attribute;
	if (record->family_attribute != 0)
		for (shared = relation->family->columns; shared != NULL;
			 shared = shared->next)
			if (memcmp(&shared->name, &name, sizeof(name)) == 0)
				break;
	if (shared == NULL)
	{
		shared = calloc(1, sizeof(*shared));
		if (shared == NULL)
			return false;
		shared->name = name;
		if (record->family_attribute != 0)
		{
			shared->next = relation->family->columns;
			relation->family->columns = shared;
		}
	}
	shared->users++;
	record->shared = shared;
	return true;
}

/* Takes what columns share out of the list of a family. */
static void
unlink_shared(WaStoredFamily *family, const WaSharedColumn *shared)
{
	WaSharedColumn **link = &family->columns;

	while (*link != shared)
		link = &(*link)->next;
	*link = shared->next;
}

void
wa_family_unshare(WaStoredRelation *relation, WaColumnRecord *record,
				  WaGarbage *garbage)
{
	WaSharedColumn *shared = record->shared;
	WaDictionary *dictionary = shared->dictionary;

	record->shared = NULL;
	if (--shared->users > 0)
		return;
	if (record->family_attribute != 0)
		unlink_shared(relation->family, shared);
	free(shared);
	if (dictionary == NULL)
		return;
	/* Only this puts it on a list, so it is on none. */
	dictionary->next = garbage->dictionaries;
	garbage->dictionaries = dictionary;
	garbage->bytes += wa_dictionary_bytes(dictionary);
}

uint64_t
wa_family_bytes(const WaColumnRecord *record)
{
	const WaSharedColumn *shared = record->shared;

	return record->all.bytes +
		   (shared->dictionary == NULL
				? 0
				: wa_dictionary_bytes(shared->dictionary) / shared->users);
}
