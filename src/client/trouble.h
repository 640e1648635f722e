/*
 * trouble.h
 *		Why an exchange with the device process was not completed, or not as it should.
 *
 * Whoever finds out notes it here, and returns that it has failed; whoever reports the
 * failure, before anything else is asked for, finds here what there is to say.
 */
#ifndef WA_CLIENT_TROUBLE_H
#define WA_CLIENT_TROUBLE_H

#include "core/protocol.h"

/* How an exchange of messages ended. */
typedef enum WaExchange
{
	WA_EXCHANGE_DONE = 0,
	WA_EXCHANGE_LOST,   /* the connection ended or broke the protocol, or we had
						 * no memory or descriptors for it */
	WA_EXCHANGE_TIMEOUT /* nothing was heard for warpagg.device_timeout */
} WaExchange;

typedef struct WaTrouble
{
	WaExchange exchange; /* done: the device process has refused something */
	WaStatus status;     /* what it has reported, or what errno means */
	char text[WA_MAX_ERROR_BYTES]; /* a sentence without its period */
} WaTrouble;

/* Returns what was noted last; if nothing was, that the connection was lost. */
extern const WaTrouble *wa_trouble(void);

/* Forgets what was noted: something new begins. */
extern void wa_trouble_clear(void);

/* Notes something; returns false. */
extern bool wa_trouble_note(WaExchange exchange, WaStatus status,
							const char *text);

/* Notes a sentence, and behind it what errno means, as is the status; likewise. */
extern bool wa_trouble_note_errno(WaExchange exchange, const char *text);

/*
 * Notes what a message from the device process says that is not the reply that was
 * expected: that it has failed, or nothing that can be understood; likewise.
 */
extern bool wa_trouble_note_reply(WaExchange exchange, const WaMessage *reply);

#endif /* WA_CLIENT_TROUBLE_H */
