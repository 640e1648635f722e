/*
 * parcel.h
 *		The memory in which a backend tells warpaggd of resident columns.
 *
 * There is one parcel a connection (core/resident.h).  It belongs to the backend,
 * which makes it when it is first needed and anew when a larger one is.
 */
#ifndef WA_CLIENT_PARCEL_H
#define WA_CLIENT_PARCEL_H

#include "client/connection.h"

/*
 * Sees to it that warpaggd has a parcel of at least so many bytes, over the open
 * connection, on which nothing is under way.  Returns its memory, which holds
 * what it held unless it had to be made anew, and stays where it is until the
 * next call; or NULL, with the connection closed, if that fails: trouble.h has the
 * reason, with WA_EXCHANGE_DONE if there is no memory.
 */
extern char *wa_parcel_reserve(uint64 bytes);

/* Returns the memory of the parcel, which wa_parcel_reserve has made. */
extern char *wa_parcel_memory(void);

/* Gives back a large parcel, and closes the connection, which also has it. */
extern void wa_parcel_drop(void);

#endif /* WA_CLIENT_PARCEL_H */
