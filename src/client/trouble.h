/*
 * trouble.h
 *		Why an exchange with the device process was not completed.
 *
 * Whoever finds out notes it here, so that whoever reports the failure need not
 * say of everything that the connection was lost.
 */
#ifndef WA_CLIENT_TROUBLE_H
#define WA_CLIENT_TROUBLE_H

#include "core/protocol.h"

/* Forgets what was noted: something new begins. */
extern void wa_trouble_clear(void);

/* Notes a status and a sentence without its period. */
extern void wa_trouble_note(WaStatus status, const char *text);

/* Notes a sentence, and behind it what errno means, as is the status. */
extern void wa_trouble_note_errno(const char *text);

/* Notes what a message from the device process says. */
extern void wa_trouble_note_failed(const WaFailedMessage *failed);

/* Returns what was noted; if nothing was, that the connection was lost. */
extern WaStatus wa_trouble_status(void);
extern const char *wa_trouble_text(void);

#endif /* WA_CLIENT_TROUBLE_H */
