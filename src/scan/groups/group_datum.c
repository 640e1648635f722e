/*
 * group_datum.c
 *		The groups of a query with keys of SQL; see group_datum.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"
#include "query/groups/group_decimal.h"
#include "query/groups/group_dictionary.h"
#include "scan/base/context_arena.h"
#include "scan/base/datum.h"
#include "scan/groups/group_datum.h"
#include "state/numeric_format.h"

WaQueryKey
wa_group_key_query(const WaGroupKey *key)
{
	return (WaQueryKey){
		.kind = key->kind,
		.blank_padded = key->type == BPCHAROID && !key->by_image,
		.keeps_zeros = key->kind == WA_VECTOR_FLOAT && key->by_image};
}

WaGroups *
wa_groups_make(MemoryContext parent, int nkeys, const WaGroupKey *keys)
{
	MemoryContext context = wa_context_for_groups(parent, "warpagg groups");
	WaGroups *groups = MemoryContextAllocZero(context, sizeof(WaGroups));
	WaQueryKey *query_keys =
		MemoryContextAlloc(context, nkeys * sizeof(WaQueryKey));

	for (int i = 0; i < nkeys; i++)
		query_keys[i] = wa_group_key_query(&keys[i]);
	groups->context = context;
	wa_context_arena_init(&groups->arena, context);
	wa_context_arena_init(&groups->vectors, parent);
	groups->arena.vectors = &groups->vectors;
	groups->table = wa_query_groups_make(&groups->arena, nkeys, query_keys);
	groups->nkeys = nkeys;
	groups->keys = keys;
	groups->values = MemoryContextAlloc(context, nkeys * sizeof(WaQueryValue));
	pfree(query_keys);
	return groups;
}

void
wa_groups_check(bool found)
{
	if (!found)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many groups")));
}

/* Stores a viewed number that no DECIMAL has room for, in new memory. */
static void
store_wide(const WaNumericView *view, WaQueryValue *value)
{
	static const WaWideClass classes[] = {
		[WA_NUMERIC_FINITE] = WA_WIDE_FINITE,
		[WA_NUMERIC_NAN] = WA_WIDE_NAN,
		[WA_NUMERIC_PLUS_INFINITY] = WA_WIDE_PLUS_INFINITY,
		[WA_NUMERIC_MINUS_INFINITY] = WA_WIDE_MINUS_INFINITY};
	bool is_finite = view->class == WA_NUMERIC_FINITE;
	WaWideDecimal header = {.class = classes[view->class]};
	Size digits_bytes = is_finite ? view->ndigits * sizeof(int16) : 0;
	char *bytes = palloc(sizeof(header) + digits_bytes);

	if (is_finite)
	{
		header.negative = view->negative;
		header.weight = view->weight;
		memcpy(bytes + sizeof(header), view->digits, digits_bytes);
	}
	memcpy(bytes, &header, sizeof(header));
	value->is_wide = true;
	value->text = (WaText){bytes, sizeof(header) + digits_bytes};
}

/* Stores a viewed number as an integer; returns false if it has no room there. */
static bool
store_integer(const WaNumericView *view, WaQueryValue *value)
{
	/* A value that is stripped has more digits than its last of base 10000. */
	int scale = Min(view->scale * WA_NUMERIC_BASE_DIGITS, WA_DECIMAL_MAX_SCALE);

	for (; scale >= 0 && scale > (view->scale - 1) * WA_NUMERIC_BASE_DIGITS;
		 scale--)
		if (wa_numeric_to_decimal(view, scale, &value->integer))
		{
			value->is_wide = false;
			value->scale = (uint8) scale;
			return true;
		}
	return false;
}

static void
store_numeric(Datum datum, WaQueryValue *value)
{
	WaNumericView view;

	wa_numeric_view((Numeric) PG_DETOAST_DATUM_PACKED(datum), &view);
	value->shown =
		view.class == WA_NUMERIC_FINITE ? (uint32) view.display_scale : 0;
	if (view.class != WA_NUMERIC_FINITE || !store_integer(&view, value))
		store_wide(&view, value);
}

void
wa_group_value(const WaGroupKey *key, Datum datum, WaQueryValue *value)
{
	WaVector vector = {.values = key->kind == WA_VECTOR_TEXT
									 ? (void *) &value->text
									 : (void *) &value->integer};

	value->is_null = false;
	value->shown = 0;
	if (key->kind == WA_VECTOR_DECIMAL)
		store_numeric(datum, value);
	else if (key->kind == WA_VECTOR_BOOL)
		value->integer = DatumGetBool(datum);
	else if (!wa_datum_to_vector(key->type, key->kind, datum, &vector))
		elog(ERROR, "unexpected value of type %u", key->type);
}

uint32
wa_groups_find_row(WaGroups *groups, const Datum *keys, const bool *nulls)
{
	uint32 number;

	for (int i = 0; i < groups->nkeys; i++)
	{
		if (!nulls[i])
			wa_group_value(&groups->keys[i], keys[i], &groups->values[i]);
		groups->values[i].is_null = nulls[i];
	}
	wa_groups_check(
		wa_query_groups_find_values(groups->table, groups->values, &number));
	return number;
}

static Datum
text_datum(const WaQueryValue *value)
{
	Size bytes = VARHDRSZ + value->text.length + value->shown;
	struct varlena *text = palloc(bytes);

	SET_VARSIZE(text, bytes);
	memcpy(VARDATA(text), value->text.data, value->text.length);
	memset(VARDATA(text) + value->text.length, ' ', value->shown);
	return PointerGetDatum(text);
}

/*
 * Returns a text of a group, whose table has it as PostgreSQL does if it is shown as it came
 * first; else a copy.
 */
static Datum
kept_text_datum(const WaQueryValue *value)
{
	const void *kept = wa_key_dictionary_headed(
		value->text.data, value->text.length + value->shown);

	return kept != NULL ? PointerGetDatum(kept) : text_datum(value);
}

static Datum
wide_datum(const WaQueryValue *value)
{
	WaNumericView view = {.digits = value->text.data + sizeof(WaWideDecimal)};
	WaWideDecimal header;

	memcpy(&header, value->text.data, sizeof(header));
	switch ((WaWideClass) header.class)
	{
		case WA_WIDE_NAN:
			return NumericGetDatum(wa_numeric_of_text("NaN"));
		case WA_WIDE_PLUS_INFINITY:
			return NumericGetDatum(wa_numeric_of_text("Infinity"));
		case WA_WIDE_MINUS_INFINITY:
			return NumericGetDatum(wa_numeric_of_text("-Infinity"));
		default:
			view.negative = header.negative != 0;
			view.weight = header.weight;
			view.ndigits =
				(int) ((value->text.length - sizeof(header)) / sizeof(int16));
			return NumericGetDatum(
				wa_numeric_of_view(&view, (int) value->shown));
	}
}

/* Returns a value that is neither an INT nor NULL as one of SQL. */
static pg_noinline Datum
other_datum(const WaGroupKey *key, const WaQueryValue *value)
{
	switch (key->kind)
	{
		case WA_VECTOR_FLOAT:
			return key->type == FLOAT4OID
					   ? Float4GetDatum((float4) value->number)
					   : Float8GetDatum(value->number);
		case WA_VECTOR_BOOL:
			return BoolGetDatum(value->integer != 0);
		case WA_VECTOR_TEXT:
			return text_datum(value);
		default:
			return value->is_wide
					   ? wide_datum(value)
					   : NumericGetDatum(wa_numeric_from_decimal(
							 value->integer, value->scale, (int) value->shown));
	}
}

Datum
wa_group_datum(const WaGroupKey *key, const WaQueryValue *value)
{
	return key->kind == WA_VECTOR_INT
			   ? wa_integer_datum(key->type, value->integer)
			   : other_datum(key, value);
}

Datum
wa_groups_key(const WaGroups *groups, uint32 group, int key, bool *is_null)
{
	WaQueryValue value;

	wa_query_groups_key(groups->table, group, key, &value);
	*is_null = value.is_null;
	if (value.is_null)
		return (Datum) 0;
	return groups->keys[key].kind == WA_VECTOR_TEXT
			   ? kept_text_datum(&value)
			   : wa_group_datum(&groups->keys[key], &value);
}
