/*
 * exact_pairs.h
 *		What is made of exact sums over pairs of floating-point numbers (y, x):
 *		covariances, the correlation and linear regression, rounded once.
 */
#ifndef WA_CORE_EXACT_PAIRS_H
#define WA_CORE_EXACT_PAIRS_H

#include "core/partial.h"
#include "core/product.h"

/*
 * Sums of products of pairs, all of whose numbers are finite, with room for any
 * number of them: limb i has the weight 2^(32 i - 2176).
 */
#define WA_PRODUCTS_LIMBS 136

typedef struct WaExactProducts
{
	int64_t limbs[WA_PRODUCTS_LIMBS];
} WaExactProducts;

/* Sums over rows pairs, normalized.  Squares and products are of finite numbers. */
typedef struct WaExactPairs
{
	int64_t rows; /* not 0 */
	WaExactPart y;
	WaExactPart x;
	WaExactProducts products;
} WaExactPairs;

/*
 * What is computed of them, where S are sums, N is the number of rows, C is N Sxy - Sx Sy,
 * X is N Sxx - Sx^2 and Y is N Syy - Sy^2.
 */
typedef enum WaPairStatistic
{
	WA_PAIR_CORR,       /* C / sqrt(X Y) */
	WA_PAIR_COVAR_POP,  /* C / N^2 */
	WA_PAIR_COVAR_SAMP, /* C / (N (N - 1)) */
	WA_PAIR_AVGX,       /* Sx / N */
	WA_PAIR_AVGY,       /* Sy / N */
	WA_PAIR_SXX,        /* X / N */
	WA_PAIR_SYY,        /* Y / N */
	WA_PAIR_SXY,        /* C / N */
	WA_PAIR_SLOPE,      /* C / X */
	WA_PAIR_INTERCEPT,  /* (Sy Sxx - Sx Sxy) / X */
	WA_PAIR_R2          /* C^2 / (X Y), 1 where Y is 0 */
} WaPairStatistic;

#ifdef __cplusplus
extern "C"
{
#endif

/* Makes *products the sum of no products. */
void wa_products_init(WaExactProducts *products);

/* Adds the normalized sum of a part of products to *products, which stays normalized. */
void wa_products_merge(WaExactProducts *products, WaProductPart part,
					   const WaExactSum *sum);

/*
 * Computes a statistic exactly and rounds it once, half to even.  Returns
 * false, with nothing stored, where SQL has NULL: the sample covariance of one
 * row; the correlation where X or Y is 0, and slope, intercept and r2 where X
 * is.  NaN if a number that it is made of is not finite, but for averages,
 * which are what IEEE 754 gives; infinite with *overflow set if it is beyond
 * the largest double.
 */
bool wa_exact_pair_statistic(const WaExactPairs *pairs,
							 WaPairStatistic statistic, double *result,
							 bool *overflow);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_EXACT_PAIRS_H */
