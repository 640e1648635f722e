//
// check.h
//		What the parts of the kernel test share.
//
// The same sources are built twice: by the host's compiler against the
// emulator (WA_EMU is defined then), and by nvcc for a real GPU.
//
#ifndef WA_EMU_CHECK_H
#define WA_EMU_CHECK_H

#include <cuda_runtime.h>
#include <stdint.h>
#include <vector>

#include "core/partial.h"

// A reproducible source of random bits (splitmix64, S. Vigna 2015).
class Random
{
  public:
	explicit Random(uint64_t seed) : state_(seed)
	{
	}

	uint64_t
	bits()
	{
		uint64_t z = state_ += 0x9e3779b97f4a7c15u;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
		z = (z ^ z >> 27) * 0x94d049bb133111ebu;
		return z ^ z >> 31;
	}

	// Returns a number below `limit`.
	uint64_t
	below(uint64_t limit)
	{
		return bits() % limit;
	}

  private:
	uint64_t state_;
};

// Prints the line of a group of cases: "ok - ..." if `failure` is empty, else
// "not ok - ...: failure".
__attribute__((format(printf, 2, 3))) void
report_group(const char *failure, const char *format, ...);

// Prints how many groups passed and how many failed.  Returns the exit status of
// the program: 0 if none failed.
int report_total(void);

// How many groups of values there are for a storage.
unsigned values_kinds(WaStorage storage);

// Names a group of values.
const char *values_name(WaStorage storage, unsigned kind);

// Fills memory for `nrows` values, at any multiple of their width.
void values_fill(WaStorage storage, unsigned kind, void *values, size_t nrows,
				 Random &random);

enum ValidityKind
{
	VALIDITY_NONE, // no bitmap
	VALIDITY_ALL,
	VALIDITY_ZERO,
	VALIDITY_RANDOM,
	VALIDITY_ALTERNATING,
	VALIDITY_KINDS
};

const char *validity_name(unsigned kind);

// Makes a bitmap for nrows rows, with random bits beyond the last.
std::vector<uint64_t> validity_fill(unsigned kind, size_t nrows,
									Random &random);

// Folds the valid rows of a batch in host memory that may have a bitmap.
void fold_valid(WaPartial *partial, WaOpSet ops, const WaBatch &batch);

// Returns a type that is stored so.
WaType type_of_storage(WaStorage storage);

// Tells whether two partials of the operations over the type are the same bit
// for bit; writes what differs to `text` if not.
bool partials_equal(const WaPartial *found, const WaPartial *expected,
					WaType type, WaOpSet ops, char *text, size_t text_bytes);

// Runs each kernel on random and edge inputs; in_short on fewer kinds of them.
void test_kernels(uint64_t seed, bool in_short);
// Returns false if there is no device to test on.
bool test_surface();
// Tests the surface to memory, on a device that there is.
void test_memory();

#ifdef WA_EMU
void test_emulator();
#endif

#endif // WA_EMU_CHECK_H
