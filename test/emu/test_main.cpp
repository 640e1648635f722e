//
// test_main.cpp
//		Tests the kernels and the CUDA side's surface against the CPU.
//
// Usage: test_kernels [--short] [SEED...]
//
// --short runs each kernel over every length and several blocks, and nothing
// else: for tools under which a launch takes long.
//
// Prints a line a group of cases, and how many passed; exits 1 if one failed.
// Under the emulator a seed also sets the order in which threads run.
//
#include "check.h"

#include <stdlib.h>
#include <string.h>

int
main(int argc, char **argv)
{
	std::vector<uint64_t> seeds = {1, 2, 3};
	bool in_short = argc > 1 && strcmp(argv[1], "--short") == 0;
	int first_seed = in_short ? 2 : 1;

	if (argc > first_seed)
		seeds.clear();
	for (int i = first_seed; i < argc; i++)
		seeds.push_back(strtoull(argv[i], NULL, 0));
#ifdef WA_EMU
	if (!in_short)
		test_emulator();
#endif
	if (!in_short && !test_surface())
		seeds.clear();
	else if (!in_short)
		test_memory();
	for (uint64_t seed : seeds)
		test_kernels(seed, in_short);
	return report_total();
}
