/*
 * evaluate.c
 *		Expressions that PostgreSQL evaluates over vectors; see evaluate.h.
 *
 * The sources of an expression are the columns of a tuple that has no storage,
 * which the expression refers to as those of the outer relation of a join.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/tupdesc.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/tuptable.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "heap/gather.h"
#include "scan/base/datum.h"
#include "scan/expr/evaluate.h"
#include "scan/expr/times.h"
#include "state/numeric_format.h"

/* Makes the slot in which the expression finds the sources. */
static TupleTableSlot *
make_slot(const WaCallExpression *call)
{
	TupleDesc descriptor = CreateTemplateTupleDesc(list_length(call->sources));
	TupleTableSlot *slot;
	ListCell *cell;

	foreach (cell, call->sources)
	{
		Node *source = (Node *) ((const WaSource *) lfirst(cell))->expression;

		TupleDescInitEntry(descriptor,
						   (AttrNumber) (foreach_current_index(cell) + 1), NULL,
						   exprType(source), exprTypmod(source), 0);
	}
	slot = MakeSingleTupleTableSlot(descriptor, &TTSOpsVirtual);
	ExecStoreAllNullTuple(slot);
	return slot;
}

/* Prepares the sources. */
static void
make_sources(WaEvaluation *evaluation, const WaCallExpression *call,
			 const WaVector *registers)
{
	ListCell *cell;

	evaluation->sources =
		palloc0(sizeof(WaEvaluationSource) * (list_length(call->sources) + 1));
	foreach (cell, call->sources)
	{
		const WaSource *wanted = (const WaSource *) lfirst(cell);
		WaEvaluationSource *source = &evaluation->sources[evaluation->nsources];

		if (wanted->number < 0)
			source->constant = ExecInitExprWithParams(wanted->expression,
													  evaluation->parameters);
		else
		{
			const Oid type = exprType((Node *) wanted->expression);
			WaVectorKind kind;

			/* What no vector can hold lies as tuples have it. */
			if (!wa_gather_kind(type, &kind))
				kind = WA_VECTOR_TEXT;
			source->vector = &registers[wanted->number];
			source->form = wa_datum_form(type, kind);
			evaluation->varying = evaluation->nsources;
		}
		evaluation->nsources++;
	}
}

WaEvaluation *
wa_evaluation_make(const WaCallExpression *call, const WaVector *registers,
				   ParamListInfo parameters)
{
	WaEvaluation *evaluation = palloc0(sizeof(WaEvaluation));
	WaVectorKind known;

	evaluation->parameters = parameters;
	evaluation->slot = make_slot(call);
	make_sources(evaluation, call, registers);
	evaluation->econtext = CreateStandaloneExprContext();
	evaluation->econtext->ecxt_outertuple = evaluation->slot;
	evaluation->expression =
		ExecInitExprWithParams(call->expression, parameters);
	evaluation->guarded = call->guarded;
	if (call->wanted >= 0)
		evaluation->wanted = &registers[call->wanted];
	evaluation->type = exprType((Node *) call->expression);
	evaluation->kind = call->result;
	evaluation->stores = !wa_gather_kind(evaluation->type, &known);
	get_typlenbyval(evaluation->type, &evaluation->length,
					&evaluation->by_value);
	if (evaluation->stores && evaluation->length > 0)
		evaluation->fixed =
			palloc(MAXALIGN(evaluation->length) * WA_VECTOR_ROWS);
	evaluation->texts = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg texts", ALLOCSET_DEFAULT_SIZES);
	return evaluation;
}

void
wa_evaluation_prepare(WaEvaluation *evaluation, const ExprContext *econtext)
{
	TupleTableSlot *slot = evaluation->slot;

	evaluation->econtext->ecxt_param_exec_vals = econtext->ecxt_param_exec_vals;
	evaluation->econtext->ecxt_param_list_info = econtext->ecxt_param_list_info;
	for (int i = 0; i < evaluation->nsources; i++)
		if (evaluation->sources[i].constant != NULL)
			slot->tts_values[i] =
				ExecEvalExpr(evaluation->sources[i].constant,
							 (ExprContext *) econtext, &slot->tts_isnull[i]);
	evaluation->is_prepared = true;
}

Datum
wa_evaluation_of(WaEvaluation *evaluation, ExprState *expression,
				 NullableDatum value, bool *is_null)
{
	TupleTableSlot *slot = evaluation->slot;

	ResetExprContext(evaluation->econtext);
	slot->tts_values[evaluation->varying] = value.value;
	slot->tts_isnull[evaluation->varying] = value.isnull;
	return ExecEvalExprSwitchContext(
		expression != NULL ? expression : evaluation->expression,
		evaluation->econtext, is_null);
}

Const *
wa_evaluation_constant(const WaEvaluation *evaluation, const Var *source)
{
	const TupleTableSlot *slot = evaluation->slot;
	const int number = source->varattno - 1;
	Form_pg_attribute attribute =
		TupleDescAttr(slot->tts_tupleDescriptor, number);

	return evaluation->sources[number].vector != NULL
			   ? NULL
			   : makeConst(source->vartype, source->vartypmod,
						   source->varcollid, attribute->attlen,
						   slot->tts_values[number], slot->tts_isnull[number],
						   attribute->attbyval);
}

const WaSource *
wa_call_source(const WaCallExpression *call)
{
	const WaSource *found = NULL;
	ListCell *cell;

	foreach (cell, call->sources)
	{
		const WaSource *source = (const WaSource *) lfirst(cell);

		if (source->number < 0)
			continue;
		if (found != NULL)
			return NULL;
		found = source;
	}
	return found;
}

/*
 * Has the sources show a row, in the current memory context.  Returns false if
 * the expression might raise an error for it, and must not.
 */
static bool
show_row(const WaEvaluation *evaluation, size_t row)
{
	TupleTableSlot *slot = evaluation->slot;

	for (int i = 0; i < evaluation->nsources; i++)
	{
		const WaEvaluationSource *source = &evaluation->sources[i];

		if (source->vector == NULL)
			continue;
		slot->tts_isnull[i] = !wa_vector_is_valid(source->vector, row);
		if (slot->tts_isnull[i])
			continue;
		if (evaluation->guarded && source->form.kind == WA_VECTOR_INT &&
			!wa_time_is_safe(source->form.type,
							 wa_vector_ints(source->vector)[row]))
			return false;
		slot->tts_values[i] =
			wa_datum_of_row(&source->form, source->vector, row);
	}
	return true;
}

/* Stores a result that no vector can hold, as a tuple would have it. */
static void
store_as_it_is(const WaEvaluation *evaluation, Datum result, WaText *text,
			   size_t row)
{
	Size bytes = (Size) evaluation->length;
	char *copy;

	if (evaluation->length > 0)
		copy = evaluation->fixed + row * MAXALIGN(evaluation->length);
	else
	{
		result = PointerGetDatum(PG_DETOAST_DATUM_PACKED(result));
		bytes = VARSIZE_ANY(DatumGetPointer(result));
		copy = MemoryContextAlloc(evaluation->texts, bytes);
	}
	if (evaluation->by_value)
		store_att_byval(copy, result, evaluation->length);
	else
		memcpy(copy, DatumGetPointer(result), bytes);
	*text = (WaText){copy, 0};
}

/* Stores a result, not NULL, as a row; returns false if it has no vector. */
static bool
store_result(const WaEvaluation *evaluation, Datum result, WaVector *out,
			 size_t row)
{
	WaVector one = {.values = (char *) out->values +
							  row * wa_vector_width(evaluation->kind)};
	WaText *text;
	char *copy;

	if (evaluation->stores)
	{
		store_as_it_is(evaluation, result, wa_vector_texts(&one), row);
		return true;
	}
	if (!wa_datum_to_vector(evaluation->type, evaluation->kind, result, &one))
		return false;
	if (evaluation->kind == WA_VECTOR_DECIMAL)
		out->display[row] = one.scale;
	else if (evaluation->kind == WA_VECTOR_TEXT)
	{
		text = wa_vector_texts(&one);
		copy = MemoryContextAlloc(evaluation->texts, text->length + 1);
		memcpy(copy, text->data, text->length);
		text->data = copy;
	}
	return true;
}

/* Marks a row as NULL. */
static void
store_null(const WaEvaluation *evaluation, WaVector *out, size_t row)
{
	size_t width = wa_vector_width(evaluation->kind);

	memset((char *) out->values + row * width, 0, width);
	out->valid[row] = 0;
	out->display[row] = 0;
	out->has_nulls = true;
}

/* Evaluates the expression for a row; returns false to trap. */
static bool
evaluate_row(const WaEvaluation *evaluation, WaVector *out, size_t row)
{
	Datum result;
	bool is_null;

	if (!show_row(evaluation, row))
		return false;
	result =
		ExecEvalExpr(evaluation->expression, evaluation->econtext, &is_null);
	out->valid[row] = 1;
	if (!is_null)
		return store_result(evaluation, result, out, row);
	store_null(evaluation, out, row);
	return true;
}

bool
wa_evaluation_align(WaVector *out, size_t nrows)
{
	int64 *values = wa_vector_ints(out);
	uint8 scale = 0;

	for (size_t i = 0; i < nrows; i++)
		if (wa_vector_is_valid(out, i))
			scale = Max(scale, out->display[i]);
	for (size_t i = 0; i < nrows; i++)
		if (!wa_vector_is_valid(out, i))
			out->display[i] = scale;
		else if (__builtin_mul_overflow(
					 values[i], wa_powers_of_ten[scale - out->display[i]],
					 &values[i]))
			return false;
		else if (out->display[i] != scale)
			out->mixed = true;
	out->scale = scale;
	return true;
}

/*
 * Writes the numbers of the rows that need the expression to rows, and marks all
 * others as NULL.  Returns how many there are.
 */
static size_t
choose_rows(const WaEvaluation *evaluation, WaVector *out, size_t nrows,
			uint16 *rows)
{
	size_t nchosen = wa_vector_select(evaluation->wanted, nrows, rows);

	if (nchosen < nrows)
	{
		memset(out->values, 0, nrows * wa_vector_width(evaluation->kind));
		memset(out->valid, 0, nrows);
		out->has_nulls = true;
	}
	return nchosen;
}

/* Evaluates the expression for some rows; NULL: all.  Returns false to trap. */
static bool
evaluate_rows(const WaEvaluation *evaluation, WaVector *out, const uint16 *rows,
			  size_t nrows)
{
	ExprContext *econtext = evaluation->econtext;
	MemoryContext old = CurrentMemoryContext;
	bool fits = true;

	for (size_t i = 0; i < nrows && fits; i++)
	{
		size_t row = rows == NULL ? i : rows[i];

		ResetExprContext(econtext);
		MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		fits = evaluate_row(evaluation, out, row);
	}
	MemoryContextSwitchTo(old);
	return fits;
}

bool
wa_evaluation_call(void *context, const WaVector *a, WaVector *out,
				   size_t nrows)
{
	const WaEvaluation *evaluation = (const WaEvaluation *) context;
	uint16 chosen[WA_VECTOR_ROWS];
	const uint16 *rows = NULL;
	size_t nchosen = nrows;

	MemoryContextReset(evaluation->texts);
	out->has_nulls = false;
	out->mixed = false;
	out->scale = 0;
	if (evaluation->wanted != NULL)
	{
		nchosen = choose_rows(evaluation, out, nrows, chosen);
		rows = chosen;
	}
	if (nchosen > 0 && !evaluation->is_prepared)
		return false;
	if (!evaluate_rows(evaluation, out, rows, nchosen))
		return false;
	return evaluation->kind != WA_VECTOR_DECIMAL ||
		   wa_evaluation_align(out, nrows);
}
