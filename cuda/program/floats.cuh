//
// floats.cuh
//		Instructions over floats.
//
#ifndef WA_CUDA_PROGRAM_FLOATS_CUH
#define WA_CUDA_PROGRAM_FLOATS_CUH

#include "core/product.h"
#include "program/result.cuh"

// Arithmetic of floats in a type.
template <typename Number>
__device__ __forceinline__ void
wa_program_float_arithmetic(uint16_t code, const WaRowValues &a,
							const WaRowValues &b, WaProgramResult &result)
{
	switch (code)
	{
		case WA_CODE_FLOAT_ADD:
			wa_program_each_float(a, b, result,
								  [](double x, double y, double *out)
								  {
									  *out = (Number) x + (Number) y;
									  return wa_row_sum_traps(x, y, *out);
								  });
			break;
		case WA_CODE_FLOAT_SUBTRACT:
			wa_program_each_float(a, b, result,
								  [](double x, double y, double *out)
								  {
									  *out = (Number) x - (Number) y;
									  return wa_row_sum_traps(x, y, *out);
								  });
			break;
		case WA_CODE_FLOAT_MULTIPLY:
			wa_program_each_float(a, b, result,
								  [](double x, double y, double *out)
								  {
									  *out = (Number) x * (Number) y;
									  return wa_row_product_traps(x, y, *out);
								  });
			break;
		default: // WA_CODE_FLOAT_DIVIDE
			wa_program_each_float(a, b, result,
								  [](double x, double y, double *out)
								  {
									  *out = (Number) x / (Number) y;
									  return wa_row_quotient_traps(x, y, *out);
								  });
			break;
	}
}

// Functions of one float.
__device__ __forceinline__ void
wa_program_float_function(uint16_t code, const WaRowValues &a,
						  WaProgramResult &result)
{
	wa_program_each_float(a, a, result,
						  [=](double x, double, double *out)
						  {
							  switch (code)
							  {
								  case WA_CODE_FLOAT_NEGATE:
									  *out = -x;
									  return false;
								  case WA_CODE_FLOAT_ABS:
									  *out = fabs(x);
									  return false;
								  case WA_CODE_FLOAT_FLOOR:
									  *out = floor(x);
									  return false;
								  case WA_CODE_FLOAT_CEIL:
									  *out = ceil(x);
									  return false;
								  default: // WA_CODE_FLOAT_NARROW
									  *out = wa_row_narrow(x, 4);
									  return (wa_row_is_infinite(*out) &&
											  !wa_row_is_infinite(x)) ||
											 (*out == 0 && x != 0);
							  }
						  });
}

// Parts of exact products.
__device__ __forceinline__ void
wa_program_float_product(bool is_low, const WaRowValues &a,
						 const WaRowValues &b, WaProgramResult &result)
{
	wa_program_each_float(a, b, result,
						  [=](double x, double y, double *out)
						  {
							  const double product = x * y;

							  *out = wa_product_is_there(x, y)
										 ? wa_product_ordinary(x, y, product,
															   is_low)
										 : 0;
							  return wa_product_traps(x, y, product);
						  });
}

__device__ __forceinline__ void
wa_program_float(const WaProgramOp &op, const WaRowValues &a,
				 const WaRowValues &b, WaProgramResult &result)
{
	if (op.code >= WA_CODE_FLOAT_HIGH_PART)
		wa_program_float_product(op.code == WA_CODE_FLOAT_LOW_PART, a, b,
								 result);
	else if (op.code > WA_CODE_FLOAT_DIVIDE)
		wa_program_float_function(op.code, a, result);
	else if (op.bytes == 4)
		wa_program_float_arithmetic<float>(op.code, a, b, result);
	else
		wa_program_float_arithmetic<double>(op.code, a, b, result);
}

#endif // WA_CUDA_PROGRAM_FLOATS_CUH
