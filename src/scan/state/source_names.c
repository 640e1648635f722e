/*
 * source_names.c
 *		Naming the columns of a query in its sources; see source_names.h.
 */
#include "postgres.h"

#include "utils/rel.h"

#include "resident/relation.h"
#include "scan/state/source_names.h"

void
wa_source_names_make(WaSourceNames *names, const WaCompiler *compiler,
					 uint32 room)
{
	const Size ncolumns = (Size) compiler->ncolumns;

	Assert(ncolumns <= WA_MAX_QUERY_COLUMNS);
	names->compiler = compiler;
	names->columns = palloc0(sizeof(WaColumnName) * (ncolumns + 1));
	names->sources = palloc(sizeof(WaRunSource) * (room + 1));
	names->attributes = palloc(sizeof(int16_t) * (room * ncolumns + 1));
	names->named = (WaNamedSources){
		.ncolumns = (uint32) ncolumns,
		.columns = names->columns,
		.sources = names->sources,
		.attributes = names->attributes,
	};
}

const char *
wa_source_names_add(WaSourceNames *names, const WaScanSource *source,
					uint32 nblocks)
{
	const uint32 number = names->named.nsources;
	const uint32 ncolumns = names->named.ncolumns;
	const char *refusal = wa_resident_refusal(source->relation);

	if (refusal != NULL)
		return refusal;
	for (uint32 i = 0; i < ncolumns; i++)
	{
		WaColumnName name;

		if (!wa_resident_column(
				source->relation,
				wa_source_attnum(source, names->compiler->attnums[i]), &name))
			return "a column that the query uses cannot be resident";
		names->attributes[number * ncolumns + i] = name.attribute;
		name.attribute = 0;
		names->columns[i] = name;
	}
	names->sources[number].relation = wa_resident_storage(source->relation);
	names->sources[number].nblocks = nblocks;
	names->named.nsources++;
	return NULL;
}
