//
// code.h
//		A query program as the kernel takes it.
//
// Registers are gone: an operand is a column, a constant or a slot, mostly of shared
// memory, which several registers have one after the other.  Scales are known,
// so that of decimals only their integers are left, and powers of ten.
//
#ifndef WA_CUDA_PROGRAM_CODE_H
#define WA_CUDA_PROGRAM_CODE_H

#include "core/program.h"
#include "inputs.h"

#define WA_PROGRAM_MAX_ROWS ((size_t) 1 << 30)

// Outputs of a launch at most.
#define WA_PROGRAM_MAX_OUTPUTS 32

// What code has at most that travels with a launch; other code is long.  Tests set it
// lower.
#ifndef WA_PROGRAM_MAX_OPS
#define WA_PROGRAM_MAX_OPS 128
#endif
#define WA_PROGRAM_MAX_COLUMNS   32
#define WA_PROGRAM_MAX_CONSTANTS 96

// Which part of the kernel runs an instruction.
enum WaProgramUnit
{
	WA_UNIT_NONE, // none: it is not for the GPU
	WA_UNIT_INT,
	WA_UNIT_FLOAT,
	WA_UNIT_DECIMAL,
	WA_UNIT_CONVERT,
	WA_UNIT_COMPARE,
	WA_UNIT_LOGIC,
	WA_UNIT_SELECT,
	WA_UNIT_STEPS,
	WA_UNIT_WIDE,  // DECIMALs of up to 38 digits: of programs that are wide
	WA_UNIT_SCALE, // the digits that a DECIMAL is shown with
	WA_UNIT_COPY,  // brings an operand to a slot
	WA_UNIT_KEEP   // drops the rows for which a BOOL is not true
};

// Where an operand is.
enum WaProgramPlace
{
	WA_PLACE_NONE,
	WA_PLACE_SLOT,
	WA_PLACE_CONSTANT,
	WA_PLACE_COLUMN
};

// How the digits that a DECIMAL is shown with come about.
enum WaProgramDisplay
{
	WA_DISPLAY_NONE, // all rows show as many as the scale
	WA_DISPLAY_FIRST,
	WA_DISPLAY_LARGER,
	WA_DISPLAY_SUM,
	WA_DISPLAY_CHOICE
};

struct WaProgramOperand
{
	uint16_t number;  // of the column or constant; SLOT: of the slot of flags
	uint16_t values;  // SLOT: number of the slot of values
	uint16_t display; // digits shown; mixed, SLOT: number of the slot of them
	uint8_t place;
	bool mixed : 1; // the digits differ from row to row
	bool
		wide : 1; // the next slot, or constant, has the high words of the values
};

// An instruction.  Of SELECT, c is the condition, a and b the values.
struct WaProgramOp
{
	uint16_t code;         // WaOpcode
	uint8_t unit;          // WaProgramUnit
	uint8_t bytes;         // of the type of the result
	bool takes_values : 1; // of a and b, beside the flags
	bool gives_values : 1; // to out, likewise
	bool is_order : 1;     // COMPARE: a < b, else a = b
	bool is_negated : 1;   // COMPARE: the opposite
	uint8_t how_display;   // WaProgramDisplay
	WaProgramOperand out;
	WaProgramOperand a;
	WaProgramOperand b;
	WaProgramOperand c;
	uint32_t list; // IN: the first value among those of all lists; LOOK_UP: the
				   // WaLookup that is there in their place
	uint32_t list_values;
	int64_t factor_a; // DECIMAL: what a is multiplied with, or divided by
	int64_t factor_b; // likewise b; ROUND: the first magnitude to trap, or 0;
					  // WIDE has no factors; ROUND: a is the digits to
					  // round to, b those before the point
};

static_assert(sizeof(WaProgramOp) == 64, "as long as a line of the cache");

struct WaProgramSource
{
	const void *values;
	const uint64_t *validity;
	const uint8_t *display;
	uint8_t form;
	uint8_t scale; // DECIMAL
};

// A value of any kind, with the flags of all rows of a thread (rows.cuh).
struct WaProgramScalar
{
	int64_t value;
	uint32_t flags;
};

struct WaProgramTarget
{
	WaProgramOperand from;
	WaProgramOperand filter; // its place is NONE if there is none
	uint8_t form;
	uint8_t scale; // I128: of the values that are stored
	uint8_t bits;  // I128: values of more, sign aside, trap
	void *values;  // NULL: not wanted
	uint64_t *validity;
	int16_t *display; // likewise
};

// What there is of code.
struct WaProgramCounts
{
	unsigned nops;
	unsigned ntargets;
	unsigned nvalue_slots;
	unsigned ndisplay_slots;
	unsigned nflag_slots;
	unsigned nfirst; // columns that are read before any row can be dropped
};

// Code that travels with a launch.
struct WaProgramCode
{
	WaProgramCounts counts;
	uint16_t first[WA_PROGRAM_MAX_COLUMNS];
	WaProgramOp ops[WA_PROGRAM_MAX_OPS];
	WaProgramSource columns[WA_PROGRAM_MAX_COLUMNS];
	WaProgramScalar constants[WA_PROGRAM_MAX_CONSTANTS];
	WaProgramTarget targets[WA_PROGRAM_MAX_OUTPUTS];
	const int64_t *lists; // and tables, in device memory, aligned to 16 bytes
};

// Code that is long: all of it lies in device memory, and if slots is not NULL, each
// block has its slots there, too, one behind the other.
struct WaProgramLongCode
{
	WaProgramCounts counts;
	const uint16_t *first;
	const WaProgramOp *ops;
	const WaProgramSource *columns;
	const WaProgramScalar *constants;
	const WaProgramTarget *targets;
	const int64_t *lists;
	unsigned char *slots;
	size_t slot_bytes; // of a block
};

#endif // WA_CUDA_PROGRAM_CODE_H
