/*
 * value_wire.h
 *		Values (query/base/value.h) in messages.
 *
 * A value is a word with flags, a scale and a length; of a DECIMAL or a TEXT a
 * word that tells how it is shown; and the value, as a word or as bytes.
 */
#ifndef WA_QUERY_VALUE_WIRE_H
#define WA_QUERY_VALUE_WIRE_H

#include "query/base/value.h"
#include "query/base/wire.h"

/* Appends a value of the kind. */
extern void wa_value_write(WaWriter *writer, WaVectorKind kind,
						   const WaQueryValue *value);

/*
 * Reads a value of the kind, whose text stays in the message.  What it reads is
 * one if the reader has not failed.
 */
extern void wa_value_read(WaReader *reader, WaVectorKind kind,
						  WaQueryValue *value);

#endif /* WA_QUERY_VALUE_WIRE_H */
