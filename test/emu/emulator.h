//
// emulator.h
//		What tests may ask of the emulator beyond CUDA's runtime.
//
// The environment sets what the tests do not:
//
// WARPAGG_EMU_DEVICES	number of devices, 1 unless told, 0 for none
// WARPAGG_EMU_SEED		seed of the order in which threads and blocks run
//
#ifndef WA_EMU_EMULATOR_H
#define WA_EMU_EMULATOR_H

#include "cuda_runtime.h"

// What fresh device memory and a block's shared memory are filled with.
#define WA_EMU_POISON 0xa5

// Sets the seed for the launches to come.
void wa_emu_set_seed(uint64_t seed);

// Lets the call number `calls` from now on that allocates, copies or launches
// (1: the next one) fail with this error.  cudaErrorIllegalAddress is sticky:
// every later call fails as well, until wa_emu_heal.
void wa_emu_fail_call(unsigned calls, cudaError_t error);

// Counts a call for wa_emu_fail_call and returns how it is to fail, if it is.
// For the parts of the emulator.
cudaError_t wa_emu_count_call();

// Returns the error and keeps it for cudaGetLastError.  Likewise.
cudaError_t wa_emu_keep_error(cudaError_t error);

// Returns the bytes of memory that are mapped to ranges (cuda.h).
size_t wa_emu_mapped_bytes();

// Takes back wa_emu_fail_call and what it has broken.
void wa_emu_heal();

#endif // WA_EMU_EMULATOR_H
