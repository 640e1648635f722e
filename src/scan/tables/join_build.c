/*
 * join_build.c
 *		From the rows of plans to tables of joins; see join_build.h.
 *
 * Rows without a key are left out.  Rows of a side that is folded into another one are
 * found for each row of that, whose columns they then are.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "scan/tables/join_build.h"
#include "scan/tables/join_cache.h"
#include "scan/tables/join_finish.h"
#include "scan/tables/join_kept_rows.h"
#include "scan/tables/join_read.h"

/* Memory of rows grows by so many bytes at most, of which some may stay empty. */
#define LARGEST_BLOCK (256 * 1024)

/* Puts references to what a plan returns in the place of columns. */
static Node *
refer_to_plan(Node *node, void *columns)
{
	const Var *var = (const Var *) node;
	int place;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, refer_to_plan, columns);
	place = wa_column_place((const List *) columns, var);
	if (place < 0)
		elog(ERROR, "a joined relation lacks a column");
	return (Node *) makeVar(OUTER_VAR, (AttrNumber) (place + 1), var->vartype,
							var->vartypmod, var->varcollid, 0);
}

/* Prepares an expression over what a plan returns. */
static ExprState *
prepare_of_plan(const WaJoin *join, Expr *expression, EState *estate)
{
	return ExecInitExprWithParams(
		(Expr *) refer_to_plan((Node *) expression, join->columns),
		estate->es_param_list_info);
}

/* Adds the values that rows of a side have themselves to its columns. */
static void
add_own_columns(const WaJoinBuild *build, int number, EState *estate)
{
	WaJoinSide *side = &build->sides[number];
	ListCell *cell;

	foreach (cell, build->tables->joins->values)
	{
		const WaJoinedValue *value = (const WaJoinedValue *) lfirst(cell);
		const int i = foreach_current_index(cell);

		if (value->join == number && value->expression != NULL)
			side->columns[side->ncolumns++] = (WaSideColumn){
				.number = i,
				.by_value = get_typbyval(build->tables->values[i].type),
				.is_place = wa_joined_value_is_place(value),
				.state =
					prepare_of_plan(side->join, value->expression, estate)};
	}
}

/* Folds a side, with its columns, into another one. */
static void
fold(WaJoinSide *side, WaJoinSide *into, EState *estate)
{
	into->folded[into->nfolded] = (WaSideFolded){
		side, prepare_of_plan(into->join, side->join->key, estate),
		exprType((Node *) side->join->key), WA_NO_ROW};
	for (int i = 0; i < side->ncolumns; i++)
		into->columns[into->ncolumns++] =
			(WaSideColumn){.number = side->columns[i].number,
						   .by_value = side->columns[i].by_value,
						   .folded = into->nfolded,
						   .place = i};
	into->nfolded++;
}

/* Prepares the key of a side, or a part of it, over a row of the plan of a join. */
static void
prepare_key(WaJoinSide *side, const WaJoin *join, EState *estate)
{
	const WaJoin *of = side->join;

	side->of_type = of->is_pair ? INT8OID : exprType((Node *) of->of);
	if (!of->is_pair)
		side->of = prepare_of_plan(join, of->of, estate);
}

/* Prepares a side, unless it is a part; those that are folded into it are ready. */
static void
make_side(const WaJoinBuild *build, int number, EState *estate)
{
	WaJoinSide *side = &build->sides[number];
	const WaJoin *join = side->join;

	if (join->kind == WA_JOIN_NUMBER)
		return;
	add_own_columns(build, number, estate);
	while (side->nparts < number &&
		   side[-1 - side->nparts].join->kind == WA_JOIN_NUMBER)
		side->nparts++;
	for (WaJoinSide *part = side - side->nparts; part <= side; part++)
		prepare_key(part, join, estate);
	if (join->into >= 0)
		fold(side, &build->sides[join->into], estate);
}

WaJoinBuild *
wa_join_build_make(WaJoinTables *tables, EState *estate)
{
	WaJoinBuild *build = palloc0(sizeof(WaJoinBuild));

	build->tables = tables;
	build->econtext = CreateExprContext(estate);
	build->nsides = tables->njoins;
	build->sides = palloc0(sizeof(WaJoinSide) * build->nsides);
	for (int i = 0; i < build->nsides; i++)
	{
		WaJoinSide *side = &build->sides[i];

		side->join = (const WaJoin *) list_nth(tables->joins->list, i);
		side->columns = palloc(sizeof(WaSideColumn) * tables->nvalues);
		side->folded = palloc(sizeof(WaSideFolded) * build->nsides);
	}
	/* Joins come after those that they are folded into. */
	for (int i = build->nsides - 1; i >= 0; i--)
		make_side(build, i, estate);
	return build;
}

/* Has a side that is not folded, with its parts, have empty memory for its tables. */
static void
begin_tables(const WaJoinBuild *build, WaJoinSide *side)
{
	MemoryContext context =
		wa_join_tables_empty(build->tables, (int) (side - build->sides));

	for (WaJoinSide *part = side - side->nparts; part <= side; part++)
		part->context = context;
}

/* Returns the numbers of the sides of a unit, as a list. */
static List *
sides_of(const WaJoinBuild *build, int unit)
{
	List *numbers = NIL;

	for (int i = 0; i < build->nsides; i++)
		if (wa_joins_unit(build->tables->joins, i) == unit)
			numbers = lappend_int(numbers, i);
	return numbers;
}

/* Returns memory for the rows of a unit. */
static WaUnitRows *
make_unit_rows(int nsides)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg join rows", ALLOCSET_DEFAULT_MINSIZE,
		ALLOCSET_DEFAULT_INITSIZE, LARGEST_BLOCK);
	WaUnitRows *rows = MemoryContextAllocZero(context, sizeof(WaUnitRows));

	rows->context = context;
	rows->nsides = nsides;
	rows->sides = MemoryContextAllocZero(context, sizeof(WaJoinRows) * nsides);
	rows->places = MemoryContextAllocZero(context, sizeof(int *) * nsides);
	return rows;
}

/* Has a side have no rows yet, in memory of its unit. */
static void
begin_rows(WaJoinSide *side, WaJoinRows *rows, MemoryContext context,
		   bool with_blocks)
{
	bool *are_texts = palloc(sizeof(bool) * (side->nparts + 1));
	int nkeys = 0;

	for (const WaJoinSide *part = side - side->nparts; part <= side; part++)
		if (part->of != NULL)
			are_texts[nkeys++] = wa_row_keys_are_texts(part->of_type);
	wa_join_rows_make(rows, context, nkeys, are_texts, side->ncolumns,
					  with_blocks);
	for (int i = 0; i < side->ncolumns; i++)
	{
		rows->columns[i].by_value = side->columns[i].by_value;
		rows->columns[i].has_memory =
			side->columns[i].state != NULL && !side->columns[i].by_value;
	}
	side->rows = rows;
	pfree(are_texts);
}

/* Fills the tables of a unit, unless they are full, by the rows of the plans of its sides. */
static WaUnitRows *
read_unit(const WaJoinBuild *build, const List *plans, const List *numbers,
		  int unit, bool with_blocks)
{
	WaUnitRows *rows = make_unit_rows(list_length(numbers));

	/* What is folded comes before that into which it is. */
	for (int i = rows->nsides - 1; i >= 0; i--)
	{
		const int number = list_nth_int(numbers, i);
		WaJoinSide *side = &build->sides[number];
		PlanState *plan = (PlanState *) list_nth(plans, number);

		if (plan == NULL)
			continue;
		begin_rows(side, &rows->sides[i], rows->context,
				   with_blocks && number == unit);
		wa_join_read_all(build, side, plan);
		if (build->tables->full != NULL)
			break;
		wa_join_rows_trim(side->rows);
		wa_join_side_finish(build, number);
	}
	return rows;
}

/* Returns the place of a value in contents. */
static int
place_of(const WaJoinContents *contents, int value)
{
	for (int i = 0; i < contents->nvalues; i++)
		if (contents->values[i] == value)
			return i;
	elog(ERROR, "a joined value is not described");
}

/* Notes which of the values of contents the columns of a unit's rows have. */
static void
note_places(const WaJoinBuild *build, const WaJoinContents *contents,
			WaUnitRows *rows)
{
	for (int i = 0; i < rows->nsides; i++)
	{
		const WaJoinSide *side = &build->sides[contents->joins[i]];

		if (rows->places[i] == NULL)
			rows->places[i] = MemoryContextAlloc(
				rows->context, sizeof(int) * (side->ncolumns + 1));
		for (int j = 0; j < side->ncolumns; j++)
			rows->places[i][j] = place_of(contents, side->columns[j].number);
	}
}

/* Puts the columns of rows in the order in which a side has them. */
static void
arrange_columns(const WaJoinSide *side, const WaJoinContents *contents,
				WaJoinRows *rows, const int *places)
{
	const Size bytes = sizeof(WaJoinColumn) * side->ncolumns;
	WaJoinColumn *columns = palloc(bytes + 1);

	if (rows->ncolumns != side->ncolumns)
		elog(ERROR, "kept rows are others");
	for (int i = 0; i < side->ncolumns; i++)
	{
		const int place = place_of(contents, side->columns[i].number);
		int kept = 0;

		while (kept < rows->ncolumns && places[kept] != place)
			kept++;
		if (kept == rows->ncolumns)
			elog(ERROR, "kept rows lack a value");
		columns[i] = rows->columns[kept];
	}
	memcpy(rows->columns, columns, bytes);
	pfree(columns);
}

/* Has the sides of a unit have rows that were kept. */
static void
use_rows(const WaJoinBuild *build, const WaJoinContents *contents,
		 WaUnitRows *rows)
{
	WaJoinUse *uses = build->tables->uses;

	for (int i = 0; i < rows->nsides; i++)
	{
		const int number = contents->joins[i];
		WaJoinSide *side = &build->sides[number];

		if (side->join->kind == WA_JOIN_NUMBER)
			continue;
		arrange_columns(side, contents, &rows->sides[i], rows->places[i]);
		side->rows = &rows->sides[i];
		uses[number] =
			(WaJoinUse){.rows = side->rows->nrows, .is_reused = true};
	}
}

/*
 * Fills the tables of a unit by rows that are kept, and those of changed blocks, or has them
 * be those that were made of the same rows; returns NULL if there are none, or too many
 * blocks have changed.
 */
static WaUnitRows *
patch_unit(const WaJoinBuild *build, const List *plans,
		   WaJoinContents *contents)
{
	const int unit = contents->unit;
	WaJoinSide *side = &build->sides[unit];
	WaJoinUse *use = &build->tables->uses[unit];
	WaChangedBlocks changed;
	WaUnitRows *rows = wa_join_kept_rows_take(contents, &changed);
	bool are_same;

	if (rows == NULL)
		return NULL;
	use_rows(build, contents, rows);
	are_same = wa_join_read_changed(
		build, side, (PlanState *) list_nth(plans, unit), &changed);
	contents->made = are_same ? rows->made : 0;
	if (build->tables->full == NULL &&
		!wa_join_cache_take_made(build->tables, contents))
	{
		wa_join_side_finish(build, unit);
		rows->made = 0;
	}
	use->is_reused = true;
	use->nblocks = changed.count;
	pfree(changed.are_changed);
	return rows;
}

/* Keeps rows that tables have been made of, and numbers these. */
static void
keep_rows(const WaJoinBuild *build, WaUnitRows *rows, WaJoinContents *contents)
{
	static uint64 made = 0;

	if (rows->made == 0)
		rows->made = ++made;
	contents->made = rows->made;
	note_places(build, contents, rows);
	wa_join_kept_rows_keep(rows, contents, wa_join_cache_left());
}

/* Fills the tables of a unit, of whose contents nothing may be known (NULL). */
static void
fill_unit(const WaJoinBuild *build, const List *plans, int unit,
		  WaJoinContents *contents)
{
	List *numbers = sides_of(build, unit);
	const bool with_blocks =
		contents != NULL && wa_join_rows_may_last(contents) &&
		wa_join_plan_has_blocks((const PlanState *) list_nth(plans, unit));
	WaUnitRows *rows = NULL;

	begin_tables(build, &build->sides[unit]);
	if (contents != NULL)
		contents->made = 0;
	if (with_blocks)
		rows = patch_unit(build, plans, contents);
	if (rows == NULL)
		rows = read_unit(build, plans, numbers, unit, with_blocks);
	if (with_blocks && build->tables->full == NULL)
		keep_rows(build, rows, contents);
	else
		MemoryContextDelete(rows->context);
	list_free(numbers);
}

/* Returns the contents of a unit that are in a list, or NULL. */
static WaJoinContents *
contents_of(const List *contents, int unit)
{
	ListCell *cell;

	foreach (cell, contents)
		if (((const WaJoinContents *) lfirst(cell))->unit == unit)
			return (WaJoinContents *) lfirst(cell);
	return NULL;
}

/* Notes that tables are full if they take more than they may. */
static void
check_memory(WaJoinTables *tables, int unit)
{
	if (MemoryContextMemAllocated(tables->context, true) >
		wa_join_memory_limit())
		tables->full = (const WaJoin *) list_nth(tables->joins->list, unit);
}

void
wa_join_build_fill(WaJoinBuild *build, const List *plans,
				   const Bitmapset *units, const List *contents)
{
	int unit = -1;

	while (build->tables->full == NULL &&
		   (unit = bms_next_member(units, unit)) >= 0)
	{
		fill_unit(build, plans, unit, contents_of(contents, unit));
		if (build->tables->full == NULL)
			check_memory(build->tables, unit);
	}
}
