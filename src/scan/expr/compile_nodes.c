/*
 * compile_nodes.c
 *		What the compiler knows of the nodes of expressions, by their addresses.
 *
 * Expressions may be thousands of nodes deep, and each level asks the same of all
 * that is below it: so it is found out once.  Nodes are never freed while there is
 * a compiler that knows them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "tcop/tcopprot.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "scan/expr/compile_internal.h"
#include "scan/expr/functions.h"
#include "scan/expr/times.h"

/* To compile a level of nodes takes so many kB of the stack at most. */
#define KB_OF_LEVEL 2

typedef struct KnownNode
{
	const Node *node;
	char status;   /* of the hash table */
	bool varies;   /* a column of the table is in it */
	bool has_time; /* a part, or the whole, is a date or a timestamp */
	bool is_wide;  /* see wa_is_wide */
	uint32 hash;   /* the same for all that is equal */
	int nnodes;    /* of the expression */
	const char *refusals[2][2]; /* see wa_compiler_note_failure */
} KnownNode;

/* Returns a hash of an address. */
static inline uint32
hash_address(const Node *node)
{
	uint64 address = (uint64) (uintptr_t) node;

	return murmurhash32((uint32) (address >> 3) ^ (uint32) (address >> 32));
}

#define SH_PREFIX            known
#define SH_ELEMENT_TYPE      KnownNode
#define SH_KEY_TYPE          const Node *
#define SH_KEY               node
#define SH_HASH_KEY(tb, key) hash_address(key)
#define SH_EQUAL(tb, a, b)   ((a) == (b))
#define SH_SCOPE             static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* What is found out of a node whose parts are being looked at. */
typedef struct Description
{
	WaCompiler *compiler;
	KnownNode known;
} Description;

struct known_hash *
wa_known_nodes_make(void)
{
	return known_create(CurrentMemoryContext, 64, NULL);
}

/* How deep a walk over nodes is, and may be. */
typedef struct Depth
{
	int depth;
	int most;
} Depth;

/* Finds a node that is deeper than it may be. */
static bool
find_deep(Node *node, void *context)
{
	Depth *depth = (Depth *) context;
	bool found;

	if (node == NULL)
		return false;
	if (depth->depth >= depth->most)
		return true;
	depth->depth++;
	found = expression_tree_walker(node, find_deep, context);
	depth->depth--;
	return found;
}

bool
wa_is_deep(List *expressions)
{
	Depth depth = {0, max_stack_depth / KB_OF_LEVEL};

	return find_deep((Node *) expressions, &depth);
}

/* Returns a hash of what a constant is. */
static uint32
hash_constant(const Const *constant)
{
	uint32 hash = constant->consttype;

	if (constant->constisnull)
		return hash;
	return hash_combine(hash, datum_image_hash(constant->constvalue,
											   constant->constbyval,
											   constant->constlen));
}

/* Returns a hash of a node without its parts. */
static uint32
hash_node(const Node *node)
{
	uint32 hash = murmurhash32((uint32) nodeTag(node));

	switch (nodeTag(node))
	{
		case T_Var:
			return hash_combine(hash, (uint32) ((const Var *) node)->varattno);
		case T_Const:
			return hash_combine(hash, hash_constant((const Const *) node));
		case T_OpExpr:
			return hash_combine(hash, ((const OpExpr *) node)->opno);
		case T_FuncExpr:
			return hash_combine(hash, ((const FuncExpr *) node)->funcid);
		default:
			return hash;
	}
}

/* Adds a node and its parts to a hash. */
static bool
add_hash(Node *node, void *hash)
{
	if (node == NULL)
		return false;
	*(uint32 *) hash =
		murmurhash32(hash_combine(*(uint32 *) hash, hash_node(node)));
	return expression_tree_walker(node, add_hash, hash);
}

uint32
wa_column_hash(Expr *argument, Expr *filter)
{
	uint32 hash = 0;

	(void) add_hash((Node *) argument, &hash);
	hash = murmurhash32(hash);
	(void) add_hash((Node *) filter, &hash);
	return hash;
}

static KnownNode *find_out(WaCompiler *compiler, Node *node);

/* Adds what is known of a part, for expression_tree_walker. */
static bool
add_part(Node *node, void *context)
{
	Description *whole = (Description *) context;
	const KnownNode *part;

	if (node == NULL)
		return false;
	if (IsA(node, List))
		return expression_tree_walker(node, add_part, context);
	part = find_out(whole->compiler, node);
	whole->known.varies |= part->varies;
	whole->known.has_time |= part->has_time;
	whole->known.nnodes += part->nnodes;
	whole->known.hash =
		murmurhash32(hash_combine(whole->known.hash, part->hash));
	return false;
}

/* Tells whether one of several expressions is wide. */
static bool
has_wide(WaCompiler *compiler, const List *expressions)
{
	ListCell *cell;

	foreach (cell, expressions)
		if (wa_is_wide(compiler, (Node *) lfirst(cell)))
			return true;
	return false;
}

/* Tells whether a function of numerics has a result as wide as its arguments. */
static bool
keeps_width(Oid function)
{
	const int code = wa_function_code(function);

	return code == WA_CODE_DECIMAL_ADD || code == WA_CODE_DECIMAL_SUBTRACT ||
		   code == WA_CODE_DECIMAL_MULTIPLY || code == WA_CODE_DECIMAL_NEGATE ||
		   code == WA_CODE_DECIMAL_ABS;
}

/* Tells whether a result of CASE is wide. */
static bool
has_wide_result(WaCompiler *compiler, const CaseExpr *expression)
{
	ListCell *cell;

	foreach (cell, expression->args)
		if (wa_is_wide(compiler, (Node *) lfirst_node(CaseWhen, cell)->result))
			return true;
	return wa_is_wide(compiler, (Node *) expression->defresult);
}

/* Tells whether an expression, a numeric that varies, is wide, as its parts are known. */
static bool
find_wide(WaCompiler *compiler, Node *expression)
{
	Oid function;

	switch (nodeTag(expression))
	{
		case T_CaseExpr:
			return has_wide_result(compiler, (CaseExpr *) expression);
		case T_CoalesceExpr:
			return has_wide(compiler, ((CoalesceExpr *) expression)->args);
		case T_MinMaxExpr:
			return has_wide(compiler, ((MinMaxExpr *) expression)->args);
		case T_NullIfExpr:
			return has_wide(compiler, wa_arguments_of(expression));
		case T_FuncExpr:
		case T_OpExpr:
			break;
		default:
			return false;
	}
	function = wa_function_of(expression);
	if (function == F_NUMERIC_SQRT || function == F_SQRT_NUMERIC)
		return true;
	return keeps_width(function) &&
		   has_wide(compiler, wa_arguments_of(expression));
}

/* Returns what is known of a node; it may move when the next one is asked for. */
static KnownNode *
find_out(WaCompiler *compiler, Node *node)
{
	KnownNode *known = known_lookup(compiler->known, node);
	Description whole = {compiler, {.node = node, .nnodes = 1}};
	char status;
	bool found;

	if (known != NULL)
		return known;
	CHECK_FOR_INTERRUPTS();
	whole.known.varies = IsA(node, Var) || IsA(node, PlaceHolderVar);
	whole.known.has_time = wa_is_time(exprType(node));
	whole.known.hash = hash_node(node);
	(void) expression_tree_walker(node, add_part, &whole);
	whole.known.is_wide = whole.known.varies && exprType(node) == NUMERICOID &&
						  find_wide(compiler, node);
	known = known_insert(compiler->known, node, &found);
	status = known->status;
	*known = whole.known;
	known->status = status;
	return known;
}

bool
wa_varies(WaCompiler *compiler, Node *expression)
{
	return find_out(compiler, expression)->varies;
}

bool
wa_has_time(WaCompiler *compiler, Node *expression)
{
	return find_out(compiler, expression)->has_time;
}

uint32
wa_expression_hash(WaCompiler *compiler, Node *expression)
{
	return find_out(compiler, expression)->hash;
}

int
wa_expression_nodes(WaCompiler *compiler, Node *expression)
{
	return find_out(compiler, expression)->nnodes;
}

void
wa_compiler_note_failure(WaCompiler *compiler, Node *expression)
{
	KnownNode *known = find_out(compiler, expression);

	known->refusals[compiler->conditional > 0][compiler->no_fallback > 0] =
		compiler->refusal;
}

bool
wa_compiler_has_failed(WaCompiler *compiler, Node *expression)
{
	const KnownNode *known = find_out(compiler, expression);

	/* What has failed stays so behind a condition, and without PostgreSQL. */
	for (int conditional = compiler->conditional > 0; conditional >= 0;
		 conditional--)
		for (int no_fallback = compiler->no_fallback > 0; no_fallback >= 0;
			 no_fallback--)
			if (known->refusals[conditional][no_fallback] != NULL)
			{
				compiler->refusal = known->refusals[conditional][no_fallback];
				return true;
			}
	return false;
}

bool
wa_is_wide(WaCompiler *compiler, Node *expression)
{
	return find_out(compiler, expression)->is_wide;
}
