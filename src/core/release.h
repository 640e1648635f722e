/*
 * release.h
 *		The release that this source is of, as in warpagg.control.
 */
#ifndef WA_RELEASE_H
#define WA_RELEASE_H

#define WA_RELEASE "0.2.0"

#endif /* WA_RELEASE_H */
