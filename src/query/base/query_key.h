/*
 * query_key.h
 *		What rows are grouped by.
 */
#ifndef WA_QUERY_QUERY_KEY_H
#define WA_QUERY_QUERY_KEY_H

#include "core/vector.h"

/* A grouping key. */
typedef struct WaQueryKey
{
	WaVectorKind kind;
	bool blank_padded; /* TEXT: trailing blanks do not count */
	bool keeps_zeros;  /* FLOAT: 0 and -0 are not equal */
	uint16_t unused;   /* 0 */
} WaQueryKey;

/* No group. */
#define WA_NO_GROUP UINT32_MAX

#endif /* WA_QUERY_QUERY_KEY_H */
