/*
 * checksum.h
 *		CRC-32C (Castagnoli), which tells damaged bytes from those that were meant.
 */
#ifndef WA_CORE_CHECKSUM_H
#define WA_CORE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Returns the checksum of what `checksum` is that of, 0 for nothing, and of so many
 * more bytes behind it.
 */
uint32_t wa_checksum(uint32_t checksum, const void *bytes, size_t length);

/* The same without wide products, as on processors that have none. */
uint32_t wa_checksum_by_words(uint32_t checksum, const void *bytes,
							  size_t length);

/* The same by tables alone, as it is where processors have no instruction for it. */
uint32_t wa_checksum_by_tables(uint32_t checksum, const void *bytes,
							   size_t length);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_CHECKSUM_H */
