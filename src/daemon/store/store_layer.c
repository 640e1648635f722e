/*
 * store_layer.c
 *		What there is of an extent, or of its overlay; see store_layer.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/store_layer.h"

/* Makes an empty layer with room for so many columns. */
static bool
begin(WaLayer *layer, uint32_t room)
{
	*layer = (WaLayer){.room = room};
	layer->columns = calloc(room + (size_t) 1, sizeof(WaColumn *));
	return layer->columns != NULL;
}

/* Takes a reference to a column, if it is not NULL. */
static void
take_column(WaLayer *layer, uint32_t i, WaColumn *column)
{
	layer->columns[i] = column;
	if (column != NULL)
		wa_column_retain(column);
}

/* Takes a reference to a layout. */
static void
take_layout(WaLayer *layer, WaLayout *layout)
{
	layer->layout = layout;
	wa_layout_retain(layout);
}

bool
wa_layer_take(WaLayer *layer, const WaExtent *extent)
{
	if (!begin(layer, extent->room))
		return false;
	take_layout(layer, extent->layout);
	for (uint32_t i = 0; i < extent->room; i++)
		take_column(layer, i, extent->columns[i]);
	return true;
}

bool
wa_layer_copy(WaLayer *layer, const WaLayer *from, const WaLayer *like)
{
	if (!begin(layer, from->room))
		return false;
	take_layout(layer, from->layout);
	for (uint32_t i = 0; i < from->room && i < like->room; i++)
		if (like->columns[i] != NULL)
			take_column(layer, i, from->columns[i]);
	return true;
}

/*
 * Returns a reference to the dictionary of one of the load's columns, that of all that
 * share it, which it makes if there is none yet; NULL if there is no memory for it.
 */
static WaDictionary *
get_dictionary(const WaLoad *load, uint32_t column)
{
	WaStore *store = load->store;
	const uint32_t place = load->pins.place[column];
	WaDictionary *made = NULL;

	for (;;)
	{
		WaDictionary **known;
		WaDictionary *found;

		(void) pthread_mutex_lock(&store->lock);
		known = &load->pins.relation->records[place].shared->dictionary;
		if (*known == NULL)
		{
			*known = made;
			made = NULL;
		}
		found = *known;
		if (found != NULL)
			wa_dictionary_retain(found);
		(void) pthread_mutex_unlock(&store->lock);
		wa_dictionary_release(made); /* another load was faster */
		if (found != NULL)
			return found;
		made = wa_dictionary_make(&store->memory, &load->need);
		if (made == NULL)
			return NULL;
	}
}

/* Copies one of the load's columns out of the parcel. */
static WaStatus
copy_column(WaLoad *load, uint32_t i, const uint8_t *parcel, char *error,
			size_t error_bytes)
{
	const WaExtentColumn *column = &load->head->columns[i];
	WaDictionary *dictionary = NULL;
	WaStatus status;

	if (column->form == WA_FORM_TEXT &&
		(dictionary = get_dictionary(load, i)) == NULL)
	{
		(void) snprintf(error, error_bytes,
						"not enough memory for attribute %d",
						column->name.attribute);
		return WA_OUT_OF_MEMORY;
	}
	status = wa_column_copy(&load->store->memory, &load->need, column,
							load->head->nrows, parcel, dictionary,
							&load->brought.columns[load->pins.place[i]], error,
							error_bytes);
	wa_dictionary_release(dictionary);
	return status;
}

WaStatus
wa_layer_bring(WaLoad *load, const uint8_t *parcel, char *error,
			   size_t error_bytes)
{
	WaStatus status = WA_OK;
	uint32_t room = 0;

	for (uint32_t i = 0; i < load->pins.ncolumns; i++)
		if (load->pins.place[i] >= room)
			room = load->pins.place[i] + 1;
	if (!begin(&load->brought, room))
		return WA_OUT_OF_MEMORY;
	load->brought.layout =
		wa_layout_make(&load->store->memory, &load->need, load->head);
	if (load->brought.layout == NULL)
		return WA_OUT_OF_MEMORY;
	for (uint32_t i = 0; i < load->pins.ncolumns && status == WA_OK; i++)
		status = copy_column(load, i, parcel, error, error_bytes);
	return status;
}

WaStatus
wa_layer_patch(WaLayer *layer, WaLoad *load, const WaLayer *old,
			   const WaLayer *brought, WaPatch *plan, char *error,
			   size_t error_bytes)
{
	WaMemory *memory = &load->store->memory;

	if (!begin(layer, old->room))
		return WA_OUT_OF_MEMORY;
	if (!wa_patch_plan(old->layout, brought->layout, plan))
	{
		(void) snprintf(error, error_bytes,
						"an extent cannot have so many rows");
		return WA_BAD_REQUEST;
	}
	layer->layout = wa_layout_patch(memory, &load->need, plan);
	if (layer->layout == NULL)
		return WA_OUT_OF_MEMORY;
	for (uint32_t i = 0; i < old->room; i++)
	{
		if (old->columns[i] == NULL)
			continue;
		layer->columns[i] =
			wa_column_patch(memory, &load->need, plan, old->columns[i],
							i < brought->room ? brought->columns[i] : NULL);
		if (layer->columns[i] == NULL)
			return WA_OUT_OF_MEMORY;
	}
	return WA_OK;
}

void
wa_layer_end(WaLayer *layer)
{
	if (layer->columns != NULL)
		for (uint32_t i = 0; i < layer->room; i++)
			wa_column_release(layer->columns[i]);
	wa_layout_release(layer->layout);
	free(layer->columns);
	memset(layer, 0, sizeof(*layer));
}

bool
wa_layer_is_of(const WaLayer *layer, const WaExtent *extent)
{
	if (extent == NULL || layer->layout != extent->layout)
		return extent == NULL && layer->layout == NULL;
	for (uint32_t i = 0; i < extent->room; i++)
		if (extent->columns[i] != (i < layer->room ? layer->columns[i] : NULL))
			return false;
	return true;
}

bool
wa_layer_has_all(const WaLayer *layer, const WaLayer *other)
{
	for (uint32_t i = 0; i < other->room; i++)
		if (other->columns[i] != NULL &&
			(i >= layer->room || layer->columns[i] == NULL))
			return false;
	return true;
}

void
wa_layer_put(WaLayer *layer, WaExtent *extent, WaGarbage *garbage)
{
	for (uint32_t i = 0; i < layer->room; i++)
	{
		if (layer->columns[i] == NULL)
			continue;
		wa_map_set_column(extent, i, layer->columns[i], garbage);
		layer->columns[i] = NULL;
	}
}
