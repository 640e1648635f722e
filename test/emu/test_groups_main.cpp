//
// test_groups_main.cpp
//		Tests grouped reductions against the CPU.
//
// Usage: test_groups [--short] [SEED...]
//
// Prints a line a group of cases, and how many passed; exits 1 if one failed.
// Under the emulator a seed also sets the order in which threads run.
//
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "test_groups.h"

int
main(int argc, char **argv)
{
	std::vector<uint64_t> seeds = {1, 2, 3};
	const bool in_short = argc > 1 && strcmp(argv[1], "--short") == 0;
	const int first_seed = in_short ? 2 : 1;

	if (argc > first_seed)
		seeds.clear();
	for (int i = first_seed; i < argc; i++)
		seeds.push_back(strtoull(argv[i], NULL, 0));
	test_groups_contract();
	test_groups_unsampled();
	for (uint64_t seed : seeds)
		test_groups(seed, in_short);
	return report_total();
}
