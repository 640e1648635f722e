/*
 * column_texts.h
 *		From the numbers of texts in a parcel to codes of a dictionary.
 */
#ifndef WA_DAEMON_COLUMN_TEXTS_H
#define WA_DAEMON_COLUMN_TEXTS_H

#include "core/must_check.h"
#include "core/protocol.h"
#include "daemon/column/dictionary.h"

/*
 * Adds the texts of a sound TEXT column to a dictionary, and makes their codes of
 * the values: copies of the numbers of nrows rows, unchecked.  The bytes of the
 * parcel may change meanwhile.  user: who needs the memory.  Returns WA_OK,
 * WA_BAD_REQUEST if numbers or ends are out of bounds, or WA_OUT_OF_MEMORY.
 */
WA_MUST_CHECK WaStatus wa_column_take_texts(WaDictionary *dictionary,
											const void *user,
											const WaExtentColumn *column,
											const uint8_t *parcel,
											uint32_t *values, uint32_t nrows);

#endif /* WA_DAEMON_COLUMN_TEXTS_H */
