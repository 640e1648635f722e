/*
 * vectorised.h
 *		Marks functions whose loops are compiled for AVX2 too, for the dynamic
 *		linker to choose.
 *
 * AVX2 has no fused multiply-add, so that results are the same.  Sanitizers are not
 * ready yet when the linker asks.
 */
#ifndef WA_CORE_VECTORISED_H
#define WA_CORE_VECTORISED_H

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WA_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define WA_VECTORISED
#endif

#endif /* WA_CORE_VECTORISED_H */
