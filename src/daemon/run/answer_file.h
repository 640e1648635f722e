/*
 * answer_file.h
 *		A memory file for groups that a parcel has no room for.
 */
#ifndef WA_DAEMON_ANSWER_FILE_H
#define WA_DAEMON_ANSWER_FILE_H

#include <stdint.h>

#include "core/must_check.h"

/*
 * Makes a file of so many bytes and maps it to *memory, to be written; returns -1 if
 * there is no room.  wa_answer_file_seal has to follow.
 */
WA_MUST_CHECK int wa_answer_file_make(uint64_t bytes, void **memory);

/*
 * Takes the mapping away and sees to it that nobody can change the file any more.
 * Returns it, or -1, having closed it, if that cannot be done.
 */
WA_MUST_CHECK int wa_answer_file_seal(int fd, void *memory, uint64_t bytes);

#endif /* WA_DAEMON_ANSWER_FILE_H */
