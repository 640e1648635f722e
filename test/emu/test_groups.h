//
// test_groups.h
//		The parts of the test of grouped reductions.
//
#ifndef WA_EMU_TEST_GROUPS_H
#define WA_EMU_TEST_GROUPS_H

#include <stdint.h>

// Makes every reduction of random and edge inputs; in_short of fewer of them.
void test_groups(uint64_t seed, bool in_short);

// Numbers larger than those from which the kernels guess how large they are.
void test_groups_unsampled();

// Breaks the contract of a column.
void test_groups_contract();

#endif // WA_EMU_TEST_GROUPS_H
