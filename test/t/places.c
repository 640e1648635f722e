/*
 * places.c
 *		A function that returns where the device process says that rows lie.
 *
 * t/027_places.pl makes a library of it: no query of users puts the column ctid out, so
 * it has one of its own, by what nodes ask the device process by.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "scan/base/context_arena.h"
#include "scan/resident/resident_asked.h"
#include "scan/resident/resident_query.h"

PG_MODULE_MAGIC;

#define GROUPS_ROOM ((uint64) 512 * 1024)

extern Datum resident_places(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(resident_places);

/* Makes a query that groups by the place of a row. */
static void
make_query(WaScanQuery *query)
{
	const char *reason;

	memset(query, 0, sizeof(*query));
	query->varno = 1;
	query->keys = list_make1(wa_compiler_place(1));
	query->by = query->keys;
	query->nkeys = 1;
	reason = wa_scan_query_compile(query, 0);
	if (reason != NULL)
		elog(ERROR, "cannot be compiled: %s", reason);
	query->interpreter = wa_interpreter_make(query->compiler, NULL);
}

/* Writes what is asked to the parcel, and completes the message. */
static void
fill_parcel(WaAsking *asking, const WaWriter *query)
{
	WaRunMessage *run = &asking->run;
	const uint64 words = wa_run_words_bytes(asking->over.sources, 1);
	char *parcel;

	run->query_bytes = query->nwords * sizeof(uint64);
	run->sources = TYPEALIGN64(64, run->query_bytes);
	run->used =
		TYPEALIGN64(64, run->sources + wa_run_sources_bytes(1, run->ncolumns));
	run->cover = TYPEALIGN64(64, run->used + words);
	run->groups = TYPEALIGN64(64, run->cover + words);
	run->groups_room = GROUPS_ROOM;
	run->memory = (uint64) 256 * 1024 * 1024;
	parcel = wa_client_reserve(run->groups + GROUPS_ROOM);
	if (parcel == NULL)
		wa_client_raise();
	memcpy(parcel, query->words, run->query_bytes);
}

/* Returns the keys of the groups of an answer. */
static ArrayType *
read_groups(const WaScanQuery *query, const void *groups, Size bytes)
{
	const WaPartialShape shape = {.nkeys = 1, .keys = query->compiled.keys};
	WaPartialReader reader;
	WaArena arena;
	Datum *places;
	int nplaces = 0;

	wa_context_arena_init(&arena, CurrentMemoryContext);
	if (!wa_partial_reader_init(&reader, &arena, &shape) ||
		!wa_partial_open(&reader, groups, bytes))
		elog(ERROR, "these are no groups");
	places = palloc(sizeof(Datum) * (reader.ngroups + 1));
	while (wa_partial_next(&reader))
		places[nplaces++] = Int64GetDatum(reader.keys[0].integer);
	if (reader.reader.failed)
		elog(ERROR, "a group cannot be read");
	return construct_array(places, nplaces, INT8OID, sizeof(int64),
						   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
}

/* Asks for the places of the rows of a source; returns NULL if there is no answer. */
static ArrayType *
ask(WaScanQuery *query, WaScanSources *sources)
{
	WaAsking asking = {.query = query, .sources = sources};
	const char *reason = wa_resident_describe_run(&asking);
	WaAnswerMessage answer;
	WaWriter writer;
	WaArena arena;
	const void *groups;
	uint64_t *used;

	if (reason != NULL)
		elog(ERROR, "cannot be asked: %s", reason);
	if (!wa_resident_is_ready(sources) || !wa_resident_look(&asking) ||
		!wa_resident_settle(&asking))
		return NULL;
	wa_context_arena_init(&arena, CurrentMemoryContext);
	if (!wa_resident_write_query(&asking, -1, &arena, &writer))
		elog(ERROR, "cannot be written");
	fill_parcel(&asking, &writer);
	groups = wa_client_run(&asking.run, &asking.over, NULL, &answer, &used);
	if (groups == NULL)
		wa_client_raise();
	elog(NOTICE, "%llu of %u blocks", (unsigned long long) answer.blocks,
		 asking.over.sources[0].nblocks);
	return answer.blocks == 0 ? NULL
							  : read_groups(query, groups, answer.groups_bytes);
}

/*
 * resident_places(relation) returns the places of the rows in those blocks that the device
 * process may answer for, for the active snapshot, or NULL if there are none.
 */
Datum
resident_places(PG_FUNCTION_ARGS)
{
	Relation relation = table_open(PG_GETARG_OID(0), AccessShareLock);
	EState *estate = CreateExecutorState();
	WaScanSource source = {.relation = relation};
	WaScanSource *list = &source;
	WaScanSources sources = {0};
	ArrayType *places;
	WaScanQuery query;

	estate->es_snapshot = GetActiveSnapshot();
	make_query(&query);
	wa_sources_make(&sources, estate, relation, 0, NULL, NULL);
	wa_sources_set(&sources, &list, 1);
	wa_sources_begin(&sources);
	places = ask(&query, &sources);
	wa_client_release_groups();
	wa_sources_end(&sources);
	table_close(relation, AccessShareLock);
	if (places == NULL)
		PG_RETURN_NULL();
	PG_RETURN_ARRAYTYPE_P(places);
}
