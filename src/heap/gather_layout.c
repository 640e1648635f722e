/*
 * gather_layout.c
 *		How to find the wanted columns in tuples that have the same attributes.
 *
 * Most tuples of a relation have one of a few layouts: all attributes, or the
 * same ones NULL.  A layout is planned when the first such tuple comes.
 */
#include "postgres.h"

#include "heap/gather_column.h"

/* What planning goes through. */
typedef struct Plan
{
	WaGather *gather;
	WaGatherLayout *layout;
	Size end;    /* of the last attribute, in the data or in the stretch */
	int narrays; /* that keep starts of stretches */
} Plan;

/* Puts a wanted column into the current stretch. */
static void
place_column(Plan *plan, int column, Size offset)
{
	WaGatherLayout *layout = plan->layout;
	WaGatherPlace *place = &layout->places[column];

	place->presence = WA_GATHER_PRESENT;
	place->stretch = layout->nstretches - 1;
	place->offset = offset;
	if (place->stretch >= 0 && layout->stretches[place->stretch].array < 0)
		layout->stretches[place->stretch].array = plan->narrays++;
}

/* Begins a stretch. */
static void
add_stretch(Plan *plan, const WaGatherAttribute *attribute)
{
	WaGatherLayout *layout = plan->layout;

	if (layout->nstretches == 0)
		layout->walk_offset = plan->end;
	layout->stretches[layout->nstretches++] =
		(WaGatherStretch){attribute->length, attribute->align, -1};
}

/* Plans an attribute of fixed length. */
static void
plan_fixed(Plan *plan, const WaGatherAttribute *attribute)
{
	WaGatherLayout *layout = plan->layout;
	WaGatherStretch *last = layout->nstretches == 0
								? NULL
								: &layout->stretches[layout->nstretches - 1];
	Size start;

	/* Its distance from where it is counted from must not vary. */
	if (last != NULL && (last->length < 0 || last->align < attribute->align))
	{
		add_stretch(plan, attribute);
		start = 0;
	}
	else
	{
		start = TYPEALIGN(attribute->align, plan->end);
		if (last != NULL)
			last->length = (int) start + attribute->length;
	}
	plan->end = start + (Size) attribute->length;
	if (attribute->column >= 0)
		place_column(plan, attribute->column, start);
}

/* Plans an attribute of variable length. */
static void
plan_variable(Plan *plan, const WaGatherAttribute *attribute)
{
	bool is_placed = plan->layout->nstretches == 0 &&
					 /* Elsewhere there may be padding before it, or not. */
					 plan->end == TYPEALIGN(attribute->align, plan->end);

	if (is_placed && attribute->column >= 0)
		place_column(plan, attribute->column, plan->end);
	add_stretch(plan, attribute);
	if (!is_placed && attribute->column >= 0)
		place_column(plan, attribute->column, 0);
}

/* Plans an attribute that has no value in the tuples. */
static void
plan_absent(Plan *plan, int attribute)
{
	int column = plan->gather->attributes[attribute].column;

	if (column < 0)
		return;
	plan->layout->places[column].presence =
		attribute >= plan->layout->natts &&
				plan->gather->columns[column].missing != NULL
			? WA_GATHER_MISSING
			: WA_GATHER_NULL;
}

/* Tells whether a layout has a value of an attribute. */
static bool
is_present(const WaGather *gather, const WaGatherLayout *layout, int attribute)
{
	return gather->natts > WA_GATHER_PRESENT_BITS ||
		   (layout->present >> attribute & 1) != 0;
}

/* Adds a layout.  Returns its number. */
static uint8
add_layout(WaGather *gather, uint64 present, int natts)
{
	MemoryContext old = MemoryContextSwitchTo(gather->context);
	WaGatherLayout *layout = &gather->layouts[gather->nlayouts];
	Plan plan = {.gather = gather, .layout = layout};

	layout->present = present;
	layout->natts = natts;
	layout->nstretches = 0;
	layout->stretches = palloc(sizeof(WaGatherStretch) * (gather->natts + 1));
	layout->places = palloc(sizeof(WaGatherPlace) * (gather->ncolumns + 1));
	for (int i = 0; i < gather->natts; i++)
	{
		const WaGatherAttribute *attribute = &gather->attributes[i];

		if (!is_present(gather, layout, i))
			plan_absent(&plan, i);
		else if (attribute->length > 0)
			plan_fixed(&plan, attribute);
		else
			plan_variable(&plan, attribute);
	}
	MemoryContextSwitchTo(old);
	return (uint8) gather->nlayouts++;
}

/* Returns the slot where a layout is, or would be. */
static uint8 *
find_slot(WaGather *gather, uint64 present, int natts)
{
	uint64 hash =
		(present ^ (uint64) natts << 56) * UINT64CONST(0x9E3779B97F4A7C15);
	uint32 slot = (uint32) (hash >> (64 - WA_GATHER_SLOT_BITS));

	while (gather->slots[slot] != 0)
	{
		const WaGatherLayout *layout =
			&gather->layouts[gather->slots[slot] - 1];

		if (layout->present == present && layout->natts == natts)
			break;
		slot = (slot + 1) % lengthof(gather->slots);
	}
	return &gather->slots[slot];
}

uint8
wa_gather_find_layout(WaGather *gather, uint64 present, int natts)
{
	uint8 *slot;

	if (gather->all_alone || (gather->natts > WA_GATHER_PRESENT_BITS &&
							  present != gather->all_present))
		return WA_GATHER_ALONE;
	slot = find_slot(gather, present, natts);
	if (*slot == 0)
	{
		if (gather->nlayouts == WA_GATHER_LAYOUTS)
			return WA_GATHER_ALONE;
		*slot = add_layout(gather, present, natts) + 1;
	}
	return *slot - 1;
}

void
wa_gather_plan(WaGather *gather)
{
	gather->all_present = gather->natts >= WA_GATHER_PRESENT_BITS
							  ? ~UINT64CONST(0)
							  : (UINT64CONST(1) << gather->natts) - 1;
	for (int i = 0; i < gather->natts; i++)
		/* A string that a zero ends; no type of PostgreSQL's own is stored so. */
		if (gather->attributes[i].length == -2)
			gather->all_alone = true;
	(void) wa_gather_find_layout(gather, gather->all_present, gather->natts);
}
