/*
 * test_store_rules.h
 *		What the store has to have, by simple rules: for its comparison with that.
 */
#ifndef TEST_STORE_RULES_H
#define TEST_STORE_RULES_H

#include "daemon/store/store.h"
#include "test/unit/test_store_world.h"

/* What the store has to have of an extent. */
typedef struct Model
{
	uint64_t seed;                 /* of its blocks' rows; 0: nothing */
	uint64_t seeds[WA_FORM_COUNT]; /* of the values of its attributes */
	uint64_t edition;
	uint64_t attributes;
	bool is_patched;   /* so that values are not those of one seed */
	WaExtentHead head; /* blocks and transactions */
	uint64_t cached[WA_EXTENT_WORDS];
	uint64_t fresh[WA_EXTENT_WORDS];
} Model;

/* What it has to have of all. */
typedef struct Rules
{
	Model models[WORLD_RELATIONS][WORLD_EXTENTS];
	uint64_t known; /* of WAL */
	uint64_t since; /* behind this all changes are remembered */
	size_t nremembered;
	WaChange *remembered; /* room for WORLD_CHANGES */
} Rules;

void rules_init(Rules *rules);
void rules_free(Rules *rules);

/* Does what FOLLOW says. */
void rules_follow(Rules *rules, const WaFollowMessage *follow);

/* Has cached blocks of an extent be fresh, as far as known, that were read behind a position. */
void rules_refresh(Rules *rules, uint64_t relation, uint64_t extent,
				   uint64_t position, const uint64_t *blocks);

/* Loads an extent, whose edition is left at 0 if it gets another one. */
void rules_load(Rules *rules, uint64_t relation, uint64_t extent,
				const WaExtentHead *head, uint64_t seed, uint64_t attributes);

/* Patches an extent that there is. */
void rules_patch(Rules *rules, uint64_t relation, uint64_t extent,
				 const WaExtentHead *head);

/* Unloads an attribute or, if it is 0, all of a relation. */
void rules_unload(Rules *rules, uint64_t relation, int32_t attribute);

/* Tells whether there is a block that a query may use. */
bool rules_have(const Model *model, uint32_t number, uint32_t block,
				const WaUse *use);

/* Tells whether a query of some attributes finds something in an extent. */
bool rules_use(const Rules *rules, uint64_t relation, uint64_t extent,
			   uint64_t attributes, const WaUse *use);

/* Tells whether a bit of words is set. */
static inline bool
has_bit(const uint64_t *words, uint32_t bit)
{
	return (words[bit / 64] >> bit % 64 & 1) != 0;
}

#endif /* TEST_STORE_RULES_H */
