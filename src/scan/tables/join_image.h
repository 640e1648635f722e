/*
 * join_image.h
 *		Tables of joins (join_tables.h) as one piece of memory, without pointers, for
 *		workers, which use them where they lie.
 */
#ifndef WA_SCAN_JOIN_IMAGE_H
#define WA_SCAN_JOIN_IMAGE_H

#include "scan/tables/join_tables.h"

/* Returns how many bytes the image of tables takes. */
extern Size wa_join_image_bytes(const WaJoinTables *tables);

/* Writes the image of tables to as many bytes, which are aligned as those of palloc. */
extern void wa_join_image_write(const WaJoinTables *tables, char *image);

/*
 * Has tables, which are those of the same joins, be what an image says.  They refer to it;
 * what they need besides lies in their memory context.
 */
extern void wa_join_image_read(WaJoinTables *tables, const char *image);

#endif /* WA_SCAN_JOIN_IMAGE_H */
