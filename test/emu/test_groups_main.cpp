//
// test_groups_main.cpp
//		Tests grouped reductions against the CPU.
//
// Usage: test_groups [SEED...]
//
// Prints a line a group of cases, and how many passed; exits 1 if one failed.
// Under the emulator a seed also sets the order in which threads run.
//
#include "check.h"

#include <stdlib.h>

#include "test_groups.h"

int
main(int argc, char **argv)
{
	std::vector<uint64_t> seeds = {1, 2, 3};

	if (argc > 1)
		seeds.clear();
	for (int i = 1; i < argc; i++)
		seeds.push_back(strtoull(argv[i], NULL, 0));
	test_groups_contract();
	test_groups_unsampled();
	for (uint64_t seed : seeds)
		test_groups(seed);
	return report_total();
}
