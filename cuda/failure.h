//
// failure.h
//		What a failed call of CUDA means, as a status and a text.
//
#ifndef WARPAGG_CUDA_FAILURE_H
#define WARPAGG_CUDA_FAILURE_H

#include <cuda_runtime.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/protocol.h"

// Where a caller wants the text of a failure.
struct ErrorText
{
	char *text;
	size_t bytes;
};

// Returns what a failed call of CUDA means to the caller.  Whatever is not
// known to be harmless is taken for a fault that has poisoned the context.
inline WaStatus
status_of(cudaError_t error)
{
	switch (error)
	{
		case cudaErrorMemoryAllocation:
			return WA_OUT_OF_MEMORY;
		case cudaErrorNoDevice:
		case cudaErrorInvalidDevice:
		case cudaErrorInsufficientDriver:
		case cudaErrorNoKernelImageForDevice:
		case cudaErrorNotSupported:
		case cudaErrorDevicesUnavailable:
		case cudaErrorHostMemoryAlreadyRegistered:
			return WA_UNSUPPORTED;
		default:
			return WA_DEVICE_LOST;
	}
}

// Writes a text and returns the status.
__attribute__((format(printf, 3, 4))) inline WaStatus
fail(WaStatus status, ErrorText error, const char *format, ...)
{
	va_list arguments;

	if (error.bytes == 0)
		return status;
	va_start(arguments, format);
	vsnprintf(error.text, error.bytes, format, arguments);
	va_end(arguments);
	return status;
}

// Returns the status of a call of CUDA.  If it failed, writes "could not
// <action>: <reason>" and takes back the error that CUDA keeps for the thread.
inline WaStatus
check(cudaError_t result, const char *action, ErrorText error)
{
	if (result == cudaSuccess)
		return WA_OK;
	(void) cudaGetLastError();
	return fail(status_of(result), error, "could not %s: %s", action,
				cudaGetErrorString(result));
}

#endif // WARPAGG_CUDA_FAILURE_H
