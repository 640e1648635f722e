/*
 * evaluate.h
 *		Expressions that PostgreSQL evaluates, over the rows of vectors.
 *
 * What query programs do not compute themselves is evaluated by the executor's
 * own code, row by row, from values that programs have computed.  It may raise
 * errors; the compiler sees to it that it is asked only about rows for which
 * PostgreSQL would have evaluated the expression, or about values that it raises
 * none for (scan/expr/compile_evaluate.c).  Whoever runs the program sees to it that no
 * error is raised before one of an earlier row (scan/rows/batch_loop.c).
 */
#ifndef WA_SCAN_EVALUATE_H
#define WA_SCAN_EVALUATE_H

#include "nodes/execnodes.h"

#include "core/must_check.h"
#include "scan/base/datum.h"
#include "scan/expr/compile.h"

/* Where the values of a source come from. */
typedef struct WaEvaluationSource
{
	const WaVector *vector; /* NULL: it is constant */
	ExprState *constant;
	WaDatumForm form; /* of the vector */
} WaEvaluationSource;

typedef struct WaEvaluation
{
	ExprState *expression;
	ParamListInfo parameters;
	ExprContext *econtext;
	TupleTableSlot *slot; /* the sources */
	WaEvaluationSource *sources;
	int nsources;
	int varying; /* the number of a source that varies */
	bool guarded;
	bool is_prepared;       /* what does not depend on rows has been computed */
	const WaVector *wanted; /* BOOL, the rows that need it; NULL: all do */
	Oid type;               /* of the result */
	WaVectorKind kind;
	bool stores;         /* no vector holds its type: as a tuple has it, */
	bool by_value;       /* and there, */
	int16 length;        /* of this length */
	MemoryContext texts; /* of results */
	char *fixed;         /* those that are stored with a fixed length */
} WaEvaluation;

/*
 * Prepares to evaluate what a call of kind EVALUATE or BUCKETS stands for, from
 * these registers, in the current memory context.
 */
extern WaEvaluation *wa_evaluation_make(const WaCallExpression *call,
										const WaVector *registers,
										ParamListInfo parameters);

/* Computes what does not depend on rows, in the current memory context. */
extern void wa_evaluation_prepare(WaEvaluation *evaluation,
								  const ExprContext *econtext);

/*
 * A WaVectorFunction over a WaEvaluation.  Traps at results that have no vector,
 * if the expression must not raise errors, at rows for which it might, and, as
 * long as it is not prepared, at all that need it.  Texts among the results stay
 * until the next call.
 */
extern WA_MUST_CHECK bool wa_evaluation_call(void *context, const WaVector *a,
											 WaVector *out, size_t nrows);

/*
 * Evaluates an expression over the sources of the evaluation (NULL: the call's own) for a
 * value of the only one that varies.  The result stays until the next evaluation.
 */
extern Datum wa_evaluation_of(WaEvaluation *evaluation, ExprState *expression,
							  NullableDatum value, bool *is_null);

/*
 * Returns a source that a Var refers to, as wa_evaluation_prepare has computed it; NULL:
 * it varies.
 */
extern Const *wa_evaluation_constant(const WaEvaluation *evaluation,
									 const Var *source);

/* Returns the source of a call that varies; NULL: there are several. */
extern const WaSource *wa_call_source(const WaCallExpression *call);

/*
 * Brings the rows of a DECIMAL, each of the scale display[row], to one scale.
 * Returns false if that does not fit.
 */
extern WA_MUST_CHECK bool wa_evaluation_align(WaVector *out, size_t nrows);

#endif /* WA_SCAN_EVALUATE_H */
