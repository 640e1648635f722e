/*
 * hints.h
 *		What the loops over rows tell the compiler.
 */
#ifndef WA_QUERY_HINTS_H
#define WA_QUERY_HINTS_H

#define WA_LIKELY(condition)   __builtin_expect((condition) != 0, 1)
#define WA_UNLIKELY(condition) __builtin_expect((condition) != 0, 0)

/* For functions: called so rarely that they would only be in the way. */
#define WA_NOINLINE __attribute__((noinline))

/* For functions: made for arguments that are known where they are called. */
#define WA_ALWAYS_INLINE __attribute__((always_inline)) inline

#endif /* WA_QUERY_HINTS_H */
