/*
 * inputs.h
 *		What queries and their programs take beside instructions.
 *
 * A part of the CUDA side's surface, plain C: see warpagg_cuda.h.
 */
#ifndef WA_CUDA_INPUTS_H
#define WA_CUDA_INPUTS_H

#include "core/batch.h"
#include "core/partial.h"

/* Rows that trap together. */
#define WA_PROGRAM_TILE_ROWS 1024

/* Returns the bytes of a bitmap with a bit for each tile of so many rows. */
static inline size_t
wa_program_trap_bytes(size_t nrows)
{
	return wa_validity_bytes((nrows + WA_PROGRAM_TILE_ROWS - 1) /
							 WA_PROGRAM_TILE_ROWS);
}

/*
 * How the values of a column lie in device memory.  Integers are those of INT and
 * DECIMAL; I32 and U32 are also the codes of TEXT in a dictionary; BITS is BOOL, a
 * bitmap like that of validity.
 */
typedef enum WaColumnForm
{
	WA_COLUMN_I8, /* what keys take alone */
	WA_COLUMN_I16,
	WA_COLUMN_I32,
	WA_COLUMN_I64,
	WA_COLUMN_U32,
	WA_COLUMN_F32,
	WA_COLUMN_F64,
	WA_COLUMN_BITS,
	WA_COLUMN_COUNT, /* of those with values of up to 64 bits */
	WA_COLUMN_I128   /* DECIMAL: for reductions, and programs that are wide */
} WaColumnForm;

/* A register that has one value for all rows. */
typedef struct WaProgramConstant
{
	uint16_t number;
	bool is_null;
	uint8_t scale; /* DECIMAL */
	bool is_wide;  /* DECIMAL, of programs that are wide: the value is wide */
	WaValue value; /* f: FLOAT, else i */
} WaProgramConstant;

/*
 * A clause of WHERE: when the instructions before `end` have run, the rows stay for
 * which a BOOL register is true.
 */
typedef struct WaProgramClause
{
	size_t end;
	uint16_t number;
} WaProgramClause;

#endif /* WA_CUDA_INPUTS_H */
