/*
 * test_store_rules.c
 *		What the store has to have, by simple rules; see test_store_rules.h.
 */
#include <stdlib.h>
#include <string.h>

#include "test/unit/check.h"
#include "test/unit/test_extent.h"
#include "test/unit/test_store_rules.h"

void
rules_init(Rules *rules)
{
	memset(rules, 0, sizeof(*rules));
	rules->remembered = malloc(WORLD_CHANGES * sizeof(WaChange));
	if (rules->remembered == NULL)
		abort();
}

void
rules_free(Rules *rules)
{
	free(rules->remembered);
}

/* Tells whether a change concerns a block of an extent, with its LSN. */
static bool
concerns(const WaChange *change, uint64_t relation, uint64_t extent,
		 uint32_t block, uint64_t lsn)
{
	const WaRelation name = wa_test_relation(relation);
	const uint32_t number =
		wa_extent_first_block(world_numbers[extent]) + block;

	if (change->kind == WA_CHANGE_FILES)
		return change->relation.database == 0 ||
			   change->relation.database == name.database;
	if (memcmp(&change->relation, &name, sizeof(name)) != 0)
		return false;
	return change->lsn > lsn &&
		   (change->kind == WA_CHANGE_REST ? change->block <= number
										   : change->block == number);
}

/* Does what a change says. */
static void
change_models(Rules *rules, const WaChange *change)
{
	for (uint64_t r = 0; r < WORLD_RELATIONS; r++)
		for (uint64_t e = 0; e < WORLD_EXTENTS; e++)
			for (uint32_t b = 0; b < WA_EXTENT_BLOCKS; b++)
			{
				Model *model = &rules->models[r][e];

				if (!concerns(change, r, e, b, model->head.block_lsn[b]))
					continue;
				put_bit(model->fresh, b, false);
				if (change->kind == WA_CHANGE_REST)
					put_bit(model->cached, b, false);
			}
}

/* Remembers a change; the oldest is forgotten if there are too many. */
static void
remember(Rules *rules, const WaChange *change)
{
	const WaChange *forgotten;

	rules->remembered[rules->nremembered++] = *change;
	if (rules->nremembered <= WA_KNOWN_CHANGES)
		return;
	forgotten = &rules->remembered[rules->nremembered - WA_KNOWN_CHANGES - 1];
	if (forgotten->lsn > rules->since)
		rules->since = forgotten->lsn;
}

void
rules_follow(Rules *rules, const WaFollowMessage *follow)
{
	if (follow->from > rules->known)
	{
		for (uint64_t r = 0; r < WORLD_RELATIONS; r++)
			for (uint64_t e = 0; e < WORLD_EXTENTS; e++)
				memset(rules->models[r][e].fresh, 0,
					   sizeof(rules->models[r][e].fresh));
		rules->nremembered = 0;
		rules->since = rules->known = follow->from;
	}
	for (uint32_t i = 0; i < follow->nchanges; i++)
		if (follow->changes[i].lsn > rules->known)
		{
			remember(rules, &follow->changes[i]);
			if (follow->changes[i].relation.file < 1000 + WORLD_RELATIONS)
				change_models(rules, &follow->changes[i]);
		}
	if (follow->to > rules->known)
		rules->known = follow->to;
}

void
rules_refresh(Rules *rules, uint64_t relation, uint64_t extent,
			  uint64_t position, const uint64_t *blocks)
{
	Model *model = &rules->models[relation][extent];
	const size_t first = rules->nremembered > WA_KNOWN_CHANGES
							 ? rules->nremembered - WA_KNOWN_CHANGES
							 : 0;
	bool is_right[WA_EXTENT_BLOCKS];

	if (rules->known == 0 || position < rules->since)
		return;
	for (uint32_t b = 0; b < WA_EXTENT_BLOCKS; b++)
		is_right[b] = has_bit(blocks, b) && has_bit(model->cached, b);
	for (size_t i = first; i < rules->nremembered; i++)
	{
		const WaChange *change = &rules->remembered[i];

		if (change->lsn <= position ||
			change->relation.file >= 1000 + WORLD_RELATIONS)
			continue;
		for (uint32_t b = 0; b < WA_EXTENT_BLOCKS; b++)
			if (concerns(change, relation, extent, b, model->head.block_lsn[b]))
				is_right[b] = false;
	}
	for (uint32_t b = 0; b < WA_EXTENT_BLOCKS; b++)
		if (is_right[b])
			put_bit(model->fresh, b, true);
}

/* Tells whether a head has the blocks and rows of a model. */
static bool
is_same_layout(const Model *model, const WaExtentHead *head)
{
	return model->seed != 0 && model->head.nblocks == head->nblocks &&
		   memcmp(model->head.row_end, head->row_end, sizeof(head->row_end)) ==
			   0 &&
		   memcmp(model->head.block_lsn, head->block_lsn,
				  sizeof(head->block_lsn)) == 0;
}

void
rules_load(Rules *rules, uint64_t relation, uint64_t extent,
		   const WaExtentHead *head, uint64_t seed, uint64_t attributes)
{
	Model *model = &rules->models[relation][extent];
	uint64_t all[WA_EXTENT_WORDS];

	memset(all, 0xff, sizeof(all));
	if (!is_same_layout(model, head))
	{
		memset(model->fresh, 0, sizeof(model->fresh));
		model->attributes = 0;
		model->edition = 0;
		model->is_patched = false;
	}
	if (model->edition == 0 || head->settled >= model->head.settled)
		model->head = *head;
	model->seed = seed;
	model->attributes |= attributes;
	for (int i = 0; i < WA_TEST_ATTRIBUTES; i++)
		if ((attributes >> i & 1) != 0)
			model->seeds[i] = seed;
	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
		put_bit(model->cached, i, head->block_lsn[i] != 0);
	rules_refresh(rules, relation, extent, head->position, all);
}

/* Returns how many rows a block has. */
static uint32_t
rows_of(const WaExtentHead *head, uint32_t block)
{
	if (block >= head->nblocks)
		return 0;
	return head->row_end[block] - (block == 0 ? 0 : head->row_end[block - 1]);
}

void
rules_patch(Rules *rules, uint64_t relation, uint64_t extent,
			const WaExtentHead *head)
{
	Model *model = &rules->models[relation][extent];
	const WaExtentHead before = model->head;
	WaExtentHead *after = &model->head;
	uint64_t taken[WA_EXTENT_WORDS] = {0};

	if (head->nblocks > after->nblocks)
		after->nblocks = head->nblocks;
	if (head->settled > after->settled)
		after->settled = head->settled;
	after->nrows = 0;
	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
	{
		/* Not what was older when it was read. */
		const bool is_taken = head->block_lsn[i] != 0 &&
							  head->block_lsn[i] >= before.block_lsn[i];
		const WaExtentHead *from = is_taken ? head : &before;

		after->nrows += rows_of(from, i);
		after->row_end[i] = i < after->nblocks ? after->nrows : 0;
		after->block_lsn[i] = from->block_lsn[i];
		after->first_xid[i] = from->first_xid[i];
		after->last_xid[i] = from->last_xid[i];
		put_bit(taken, i, is_taken);
		if (!is_taken)
			continue;
		put_bit(model->cached, i, true);
		put_bit(model->fresh, i, false);
	}
	model->edition = 0;
	model->is_patched = true;
	rules_refresh(rules, relation, extent, head->position, taken);
}

void
rules_unload(Rules *rules, uint64_t relation, int32_t attribute)
{
	const uint64_t bit = attribute == 0 ? 0 : (uint64_t) 1 << (attribute - 1);

	for (int i = 0; i < WORLD_EXTENTS; i++)
	{
		Model *model = &rules->models[relation][i];

		if (attribute == 0 || model->attributes == bit)
			memset(model, 0, sizeof(*model));
		model->attributes &= ~bit;
	}
}

bool
rules_have(const Model *model, uint32_t number, uint32_t block,
		   const WaUse *use)
{
	return has_bit(model->cached, block) && has_bit(model->fresh, block) &&
		   (uint64_t) wa_extent_first_block(number) + block < use->nblocks &&
		   wa_test_is_settled(&model->head, block, use->snapshot);
}

bool
rules_use(const Rules *rules, uint64_t relation, uint64_t extent,
		  uint64_t attributes, const WaUse *use)
{
	const Model *model = &rules->models[relation][extent];

	if (model->seed == 0 || (attributes & ~model->attributes) != 0 ||
		use->position > rules->known)
		return false;
	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
		if (rules_have(model, world_numbers[extent], i, use))
			return true;
	return false;
}
