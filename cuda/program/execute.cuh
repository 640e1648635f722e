//
// execute.cuh
//		Instructions over the rows of a thread.
//
// All lanes of a warp run the same instruction, so that choosing what to do
// costs no divergence; it is done once for all rows of the thread.
//
#ifndef WA_CUDA_PROGRAM_EXECUTE_CUH
#define WA_CUDA_PROGRAM_EXECUTE_CUH

#include "program/floats.cuh"
#include "program/lookup.cuh"
#include "program/result.cuh"

// Lists up to this long are searched value by value.
constexpr unsigned kShortList = 16;

// Tells which rows are in the list of an IN.
template <typename Code>
__device__ __forceinline__ void
wa_program_in(const Code &code, const WaProgramOp &op, const WaRowValues &a,
			  WaProgramResult &result)
{
	const int64_t *list = code.lists + op.list;
	const unsigned nvalues = op.list_values;

	if (nvalues > kShortList)
	{
		wa_program_test(a, a, result,
						[=](int64_t x, int64_t)
						{ return wa_row_in_list(x, list, nvalues); });
		return;
	}
	for (unsigned k = 0; k < nvalues; k++)
	{
		const int64_t value = __ldg(list + k);

		wa_program_test(a, a, result,
						[=](int64_t x, int64_t) { return x == value; });
	}
}

// Looks wanted rows up in a table: some may become NULL.
template <typename Code>
__device__ __forceinline__ void
wa_program_look_up(const Code &code, const WaProgramOp &op,
				   const WaRowValues &a, unsigned wanted,
				   WaProgramResult &result)
{
	WaLookupRows<kThreadRows> rows = {result.rows.value, wanted, 0, 0};

	result.rows = a;
	wa_lookup_rows(*reinterpret_cast<const WaLookup *>(code.lists + op.list),
				   rows);
	result.traps |= rows.unknown;
	result.valid &= ~rows.null;
}

__device__ __forceinline__ void
wa_program_int(const WaProgramOp &op, const WaRowValues &a,
			   const WaRowValues &b, WaProgramResult &result)
{
	const unsigned bytes = op.bytes;

	switch (op.code)
	{
		case WA_CODE_INT_ADD:
			wa_program_each(a, b, result,
							[=](int64_t x, int64_t y, int64_t *out)
							{ return wa_row_add(x, y, bytes, out); });
			break;
		case WA_CODE_INT_SUBTRACT:
			wa_program_each(a, b, result,
							[=](int64_t x, int64_t y, int64_t *out)
							{ return wa_row_subtract(x, y, bytes, out); });
			break;
		case WA_CODE_INT_MULTIPLY:
			wa_program_each(a, b, result,
							[=](int64_t x, int64_t y, int64_t *out)
							{ return wa_row_multiply(x, y, bytes, out); });
			break;
		case WA_CODE_INT_DIVIDE:
			wa_program_each(a, b, result,
							[=](int64_t x, int64_t y, int64_t *out)
							{ return wa_row_divide(x, y, bytes, out); });
			break;
		case WA_CODE_INT_REMAINDER:
			wa_program_each(a, b, result,
							[=](int64_t x, int64_t y, int64_t *out)
							{ return wa_row_remainder(x, y, bytes, out); });
			break;
		case WA_CODE_INT_NEGATE:
			wa_program_each(a, a, result,
							[=](int64_t x, int64_t, int64_t *out)
							{ return wa_row_negate(x, bytes, out); });
			break;
		case WA_CODE_INT_ABS:
			wa_program_each(a, a, result,
							[=](int64_t x, int64_t, int64_t *out)
							{ return wa_row_abs(x, bytes, out); });
			break;
		default: // WA_CODE_INT_NARROW
			wa_program_each(a, a, result,
							[=](int64_t x, int64_t, int64_t *out)
							{
								*out = x;
								return wa_row_beyond(x, bytes);
							});
			break;
	}
}

// Decimals whose scale is not the result's; others are computed with like INT.
__device__ __forceinline__ void
wa_program_decimal(const WaProgramOp &op, const WaRowValues &a,
				   const WaRowValues &b, WaProgramResult &result)
{
	const int64_t factor_a = op.factor_a;
	const int64_t factor_b = op.factor_b;
	const uint16_t code = op.code;

	switch (code)
	{
		case WA_CODE_DECIMAL_ADD:
		case WA_CODE_DECIMAL_SUBTRACT:
			wa_program_each(
				a, b, result,
				[=](int64_t x, int64_t y, int64_t *out)
				{
					bool traps = wa_row_multiply(x, factor_a, 8, &x);

					traps |= wa_row_multiply(y, factor_b, 8, &y);
					return traps | (code == WA_CODE_DECIMAL_ADD
										? wa_row_add(x, y, 8, out)
										: wa_row_subtract(x, y, 8, out));
				});
			break;
		case WA_CODE_DECIMAL_FLOOR:
			wa_program_each(a, a, result,
							[=](int64_t x, int64_t, int64_t *out)
							{
								*out = wa_row_floor(x, factor_a);
								return false;
							});
			break;
		case WA_CODE_DECIMAL_CEIL:
			wa_program_each(a, a, result,
							[=](int64_t x, int64_t, int64_t *out)
							{
								*out = wa_row_ceil(x, factor_a);
								return false;
							});
			break;
		case WA_CODE_DECIMAL_FLOOR_DIVIDE:
			wa_program_each(a, b, result,
							[=](int64_t x, int64_t y, int64_t *out)
							{
								bool traps =
									wa_row_multiply(x, factor_a, 8, &x);

								traps |= wa_row_multiply(y, factor_b, 8, &y);
								return traps | wa_row_floor_divide(x, y, out);
							});
			break;
		default: // WA_CODE_DECIMAL_ROUND; a negative factor: to fewer digits
			wa_program_each(
				a, a, result,
				[=](int64_t x, int64_t, int64_t *out)
				{
					bool traps = false;

					if (factor_a < 0)
						*out = wa_row_round(x, -factor_a);
					else
						traps = wa_row_multiply(x, factor_a, 8, out);
					return traps || (factor_b != 0 &&
									 (*out <= -factor_b || *out >= factor_b));
				});
			break;
	}
}

// From one type to another.
__device__ __forceinline__ void
wa_program_convert(const WaProgramOp &op, const WaRowValues &a,
				   WaProgramResult &result)
{
	const int64_t power = op.factor_a;
	const unsigned bytes = op.bytes;

	switch (op.code)
	{
		case WA_CODE_INT_TO_FLOAT:
			wa_program_each(a, a, result,
							[=](int64_t x, int64_t, int64_t *out)
							{
								*out =
									wa_bits_of(bytes == 4 ? (double) (float) x
														  : (double) x);
								return false;
							});
			break;
		case WA_CODE_FLOAT_TO_INT:
			wa_program_each(
				a, a, result,
				[=](int64_t x, int64_t, int64_t *out)
				{ return wa_row_float_to_int(wa_float_of(x), bytes, out); });
			break;
		case WA_CODE_DECIMAL_TO_INT:
			wa_program_each(a, a, result,
							[=](int64_t x, int64_t, int64_t *out)
							{
								*out = wa_row_round(x, power);
								return wa_row_beyond(*out, bytes);
							});
			break;
		case WA_CODE_DECIMAL_TO_FLOAT:
			wa_program_each(a, a, result,
							[=](int64_t x, int64_t, int64_t *out)
							{
								double number;
								const bool traps = wa_row_decimal_to_float(
									x, power, bytes, &number);

								*out = wa_bits_of(number);
								return traps;
							});
			break;
		case WA_CODE_DATE_TO_TIMESTAMP:
			wa_program_each(a, a, result,
							[=](int64_t x, int64_t, int64_t *out)
							{ return wa_row_date_to_timestamp(x, out); });
			break;
		case WA_CODE_TIMESTAMP_TO_DECIMAL:
			wa_program_each(a, a, result,
							[=](int64_t x, int64_t, int64_t *out)
							{ return wa_row_since_epoch(x, out); });
			break;
		case WA_CODE_TIMESTAMP_TO_FLOAT:
			wa_program_each(a, a, result,
							[=](int64_t x, int64_t, int64_t *out)
							{
								const bool traps = wa_row_since_epoch(x, out);

								*out = wa_bits_of((double) *out / 1000000.0);
								return traps;
							});
			break;
		default: // WA_CODE_TIMESTAMP_TO_DATE
			wa_program_each(a, a, result,
							[=](int64_t x, int64_t, int64_t *out)
							{ return wa_row_timestamp_to_date(x, out); });
			break;
	}
}

template <typename Code>
__device__ __forceinline__ void
wa_program_compare(const Code &code, const WaProgramOp &op,
				   const WaRowValues &a, const WaRowValues &b,
				   WaProgramResult &result)
{
	const int64_t factor_a = op.factor_a;
	const int64_t factor_b = op.factor_b;
	const bool is_order = op.is_order;

	switch (op.code)
	{
		case WA_CODE_COMPARE_INT:
			if (is_order)
				wa_program_test(a, b, result,
								[](int64_t x, int64_t y) { return x < y; });
			else
				wa_program_test(a, b, result,
								[](int64_t x, int64_t y) { return x == y; });
			break;
		case WA_CODE_COMPARE_FLOAT:
			wa_program_test(
				a, b, result,
				[=](int64_t x, int64_t y)
				{
					return is_order ? wa_row_floats_less(wa_float_of(x),
														 wa_float_of(y))
									: wa_row_floats_equal(wa_float_of(x),
														  wa_float_of(y));
				});
			break;
		case WA_CODE_COMPARE_DECIMAL: // of different scales
			wa_program_test(a, b, result,
							[=](int64_t x, int64_t y)
							{
								const __int128 left = (__int128) x * factor_a;
								const __int128 right = (__int128) y * factor_b;

								return is_order ? left < right : left == right;
							});
			break;
		default: // WA_CODE_IN_INT
			wa_program_in(code, op, a, result);
			break;
	}
	if (op.is_negated)
		result.truth = ~result.truth;
}

// What computes with flags alone.
__device__ __forceinline__ void
wa_program_logic(const WaProgramOp &op, unsigned flags_a, unsigned flags_b,
				 WaProgramResult &result)
{
	const unsigned true_a = wa_true_rows(flags_a);
	const unsigned true_b = wa_true_rows(flags_b);
	const unsigned false_a = flags_a & ~true_a;
	const unsigned false_b = flags_b & ~true_b;

	switch (op.code)
	{
		case WA_CODE_AND:
			result.truth = true_a & true_b;
			result.valid |= false_a | false_b;
			break;
		case WA_CODE_OR:
			result.truth = true_a | true_b;
			result.valid |= true_a | true_b;
			break;
		case WA_CODE_NOT:
			result.truth = ~true_a;
			break;
		case WA_CODE_IS_NULL:
			result.truth = ~flags_a;
			result.valid = kAllRows;
			break;
		case WA_CODE_IS_NOT_NULL:
			result.truth = flags_a;
			result.valid = kAllRows;
			break;
		case WA_CODE_IS_TRUE:
			result.truth = true_a;
			result.valid = kAllRows;
			break;
		default: // WA_CODE_COMPARE_BOOL
			result.truth = op.is_order ? ~true_a & true_b : ~(true_a ^ true_b);
			if (op.is_negated)
				result.truth = ~result.truth;
			break;
	}
	result.valid &= kAllRows;
}

// Chooses the rows of a where the mask has them, else of b.
__device__ __forceinline__ void
wa_program_select(const WaProgramOp &op, unsigned chosen, unsigned flags_a,
				  unsigned flags_b, const WaRowValues &a, const WaRowValues &b,
				  WaProgramResult &result)
{
	const unsigned flags = (flags_a & (chosen | chosen << kThreadRows)) |
						   (flags_b & ~(chosen | chosen << kThreadRows));

	result.valid = flags & kAllRows;
	result.truth = wa_true_rows(flags);
#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		result.rows.value[i] = wa_has_row(chosen, i) ? a.value[i] : b.value[i];
	if (op.factor_a == op.factor_b)
		return;
#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		result.traps |= (unsigned) wa_row_multiply(
							result.rows.value[i],
							wa_has_row(chosen, i) ? op.factor_a : op.factor_b,
							8, &result.rows.value[i])
						<< i;
}

// Stores in the result's slot the digits that its rows are shown with.
template <typename Code>
__device__ __forceinline__ void
wa_program_set_display(const Code &code, const WaProgramOp &op,
					   const WaProgramThread &thread, unsigned chosen)
{
	const uint64_t a = wa_program_display(code, op.a, thread, thread.live);
	const uint64_t b = wa_program_display(code, op.b, thread, thread.live);
	uint64_t digits = 0;

#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
	{
		const unsigned x = a >> 8 * i & 255;
		const unsigned y = b >> 8 * i & 255;
		unsigned shown = x;

		if (op.how_display == WA_DISPLAY_LARGER)
			shown = max(x, y);
		else if (op.how_display == WA_DISPLAY_SUM)
			shown = x + y;
		else if (op.how_display == WA_DISPLAY_CHOICE)
			shown = wa_has_row(chosen, i) ? x : y;
		digits |= (uint64_t) (shown & 255) << 8 * i;
	}
	wa_program_display_slot(thread, op.out.display) = digits;
}

// Makes integers of digits.
__device__ __forceinline__ void
wa_program_scale(uint64_t digits, WaProgramResult &result)
{
#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		result.rows.value[i] = (int64_t) (digits >> 8 * i & 255);
}

// Stores the result in its slots.
template <typename Code>
__device__ __forceinline__ void
wa_program_keep_result(const Code &code, const WaProgramOp &op,
					   const WaProgramThread &thread, unsigned chosen,
					   const WaProgramResult &result)
{
	wa_program_flag_slot(thread, op.out.number) =
		result.valid | (result.truth & result.valid) << kThreadRows;
	if (op.gives_values)
		wa_program_keep_values(thread, op.out.values, result.rows);
	if (op.how_display != WA_DISPLAY_NONE)
		wa_program_set_display(code, op, thread, chosen);
}

// Runs an instruction.  Rows that have been dropped or are NULL do not trap.
template <typename Code>
__device__ __forceinline__ void
wa_program_execute(const Code &code, const WaProgramOp &op,
				   WaProgramThread &thread)
{
	const unsigned flags_a = wa_program_flags(code, op.a, thread);
	const unsigned flags_b = wa_program_flags(code, op.b, thread);
	const unsigned chosen =
		op.unit == WA_UNIT_SELECT
			? wa_true_rows(wa_program_flags(code, op.c, thread))
			: kAllRows;
	WaRowValues a = {};
	WaRowValues b = {};
	WaProgramResult result = {};

	result.valid = flags_a & flags_b & kAllRows;
	if (op.takes_values)
	{
		const unsigned wanted = op.unit == WA_UNIT_SELECT
									? thread.live & chosen & flags_a
									: thread.live & result.valid;

		wa_program_values(code, op.a, thread, wanted, a);
		if (op.b.place != WA_PLACE_NONE)
			wa_program_values(code, op.b, thread,
							  op.unit == WA_UNIT_SELECT
								  ? thread.live & ~chosen & flags_b
								  : wanted,
							  b);
	}
	switch (op.unit)
	{
		case WA_UNIT_INT:
			wa_program_int(op, a, b, result);
			break;
		case WA_UNIT_FLOAT:
			wa_program_float(op, a, b, result);
			break;
		case WA_UNIT_DECIMAL:
			wa_program_decimal(op, a, b, result);
			break;
		case WA_UNIT_CONVERT:
			wa_program_convert(op, a, result);
			break;
		case WA_UNIT_COMPARE:
			wa_program_compare(code, op, a, b, result);
			break;
		case WA_UNIT_LOGIC:
			wa_program_logic(op, flags_a, flags_b, result);
			break;
		case WA_UNIT_SELECT:
			wa_program_select(op, chosen, flags_a, flags_b, a, b, result);
			break;
		case WA_UNIT_STEPS:
			wa_program_look_up(code, op, a, thread.live & result.valid, result);
			break;
		case WA_UNIT_SCALE:
			wa_program_scale(wa_program_display(code, op.a, thread,
												thread.live & result.valid),
							 result);
			break;
		default: // WA_UNIT_COPY
			result.truth = wa_true_rows(flags_a);
			result.rows = a;
			break;
	}
	thread.traps |= result.traps & result.valid & thread.live;
	wa_program_keep_result(code, op, thread, chosen, result);
}

#endif // WA_CUDA_PROGRAM_EXECUTE_CUH
