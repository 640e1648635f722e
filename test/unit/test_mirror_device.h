/*
 * test_mirror_device.h
 *		GPUs that are none, for the mirror: their memory is the host's.
 *
 * What has no memory faults when it is read, what is mapped anew holds anything,
 * and copies are done as late as they may be.
 */
#ifndef TEST_MIRROR_DEVICE_H
#define TEST_MIRROR_DEVICE_H

#include <stdbool.h>

#define WA_TEST_DEVICES 4

/* Sets how many pieces a device has; it has many unless told. */
void wa_test_device_limit(unsigned device, unsigned pieces);

/* Lets one in so many calls fail for lack of memory; 0: none. */
void wa_test_device_fail(unsigned one_in);

/* Lets all copies fail because the device is lost. */
void wa_test_device_lose(void);

/* Returns how many pieces of a device are mapped. */
unsigned wa_test_device_pieces(unsigned device);

/* Tells whether a function was called as it must not be. */
bool wa_test_device_abused(void);

#endif /* TEST_MIRROR_DEVICE_H */
