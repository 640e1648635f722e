/*
 * test_daemon_fake_cuda.h
 *		What a test can ask of the GPUs of test_daemon_fake_cuda.c.
 */
#ifndef TEST_DAEMON_FAKE_CUDA_H
#define TEST_DAEMON_FAKE_CUDA_H

#define WA_FAKE_VARIABLE "WA_FAKE_GPUS"

/* First values of a batch of int8 */
#define WA_FAKE_HANG      667001 /* takes WA_FAKE_HANG_MS */
#define WA_FAKE_LOSS      667002 /* fails with WA_DEVICE_LOST */
#define WA_FAKE_NO_MEMORY 667003 /* fails with WA_OUT_OF_MEMORY */

#define WA_FAKE_HANG_MS 7000

#endif /* TEST_DAEMON_FAKE_CUDA_H */
