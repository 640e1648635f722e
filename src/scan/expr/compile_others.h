/*
 * compile_others.h
 *		What compile_others.c and compile_moments.c make functions of.
 */
#ifndef WA_SCAN_COMPILE_OTHERS_H
#define WA_SCAN_COMPILE_OTHERS_H

#include "core/must_check.h"
#include "scan/expr/compile_internal.h"

/* Return the registers of constants. */
extern int wa_constant_int(WaCompiler *compiler, int64 value);
extern int wa_constant_float(WaCompiler *compiler, float8 value);

/* The same of a power of ten, which shows as many digits as it has after the point. */
extern int wa_constant_power(WaCompiler *compiler, int exponent);

/* Emit instructions of two arguments over integers, doubles and numerics. */
extern int wa_emit_int(WaCompiler *compiler, WaOpcode code, int a, int b);
extern int wa_emit_float(WaCompiler *compiler, WaOpcode code, int a, int b);
extern int wa_emit_decimal(WaCompiler *compiler, WaOpcode code, int a, int b);

/* Emits the choice of a value of the kind. */
extern int wa_emit_choice(WaCompiler *compiler, WaVectorKind kind,
						  int condition, int yes, int no);

/* As wa_compile_by_others, of functions of times. */
extern WA_MUST_CHECK bool wa_compile_moment(WaCompiler *compiler, Oid function,
											List *args, int *number);

#endif /* WA_SCAN_COMPILE_OTHERS_H */
