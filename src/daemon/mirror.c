/*
 * mirror.c
 *		What runs use of the copies on GPUs; see mirror.h.
 */
#include "daemon/mirror.h"

bool
wa_mirror_use(WaMirror *mirror, const WaRunRequest *request, unsigned device,
			  WaMirrorUse *use)
{
	(void) mirror;
	(void) request;
	(void) device;
	(void) use;
	return false;
}

void
wa_mirror_unuse(WaMirror *mirror, WaMirrorUse *use)
{
	(void) mirror;
	(void) use;
}
