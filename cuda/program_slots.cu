//
// program_slots.cu
//		From values and steps to code; see program/plan.h.
//
// A slot is taken when a value is computed and free for others from the last
// step on that has it as an argument, that step's own result included: a thread
// reads all arguments before it stores the result.  A column that is read more
// than once is brought to a slot when it is first needed, when WHERE has dropped
// what rows it can.
//
#include "program/plan.h"

#include <algorithm>
#include <string.h>

#include "program/rows.cuh"

// Slots of one sort.
struct Slots
{
	std::vector<bool> taken;
	unsigned count; // that were ever taken
};

// What is being laid out.
struct Layout
{
	WaPlanner *planner;
	WaProgramPlan *plan;
	bool in_slots;
	Slots values;
	Slots displays;
	Slots flags;
};

// Takes the first free slot, or the first two neighbours.  Numbers that are too large
// are noticed in the end.
static uint16_t
take_slot(Slots *slots, bool with_next)
{
	unsigned number = 0;

	// There are always two behind the last one.
	slots->taken.resize(slots->count + 2);
	while (slots->taken[number] || (with_next && slots->taken[number + 1]))
		number++;
	slots->taken[number] = true;
	if (with_next)
		slots->taken[number + 1] = true;
	slots->count = std::max(slots->count, number + with_next + 1);
	return (uint16_t) number;
}

// Notes that a step has a value as an argument.
static void
note_argument(WaPlanner *planner, int number, int step, bool reads)
{
	if (number == kNoValue)
		return;
	planner->values[number].last_step = step;
	planner->values[number].reads += reads;
}

// Finds out how often and until when values are needed.
static void
note_arguments(WaPlanner *planner)
{
	for (unsigned i = 0; i < planner->values.size(); i++)
	{
		planner->values[i].reads = 0;
		planner->values[i].last_step = -1;
	}
	for (unsigned i = 0; i < planner->steps.size(); i++)
	{
		const WaPlanStep *step = &planner->steps[i];

		note_argument(planner, step->a, (int) i, step->op.takes_values);
		note_argument(planner, step->b, (int) i, step->op.takes_values);
		note_argument(planner, step->c, (int) i, false);
	}
	for (unsigned i = 0; i < planner->query->noutputs; i++)
	{
		note_argument(planner, planner->outputs[i], kAtEnd,
					  planner->query->outputs[i].d_values != NULL);
		note_argument(planner, planner->filters[i], kAtEnd, false);
	}
}

// Gives a value its slots.
static void
place_value(Layout *layout, WaPlanValue *value)
{
	value->operand.place = WA_PLACE_SLOT;
	value->operand.number = take_slot(&layout->flags, false);
	if (value->kind != WA_VECTOR_BOOL)
		value->operand.values = take_slot(&layout->values, value->wide);
	if (value->mixed)
		value->operand.display = take_slot(&layout->displays, false);
}

// Frees the slots of a value.
static void
free_value(Layout *layout, const WaPlanValue *value)
{
	layout->flags.taken[value->operand.number] = false;
	if (value->kind != WA_VECTOR_BOOL)
		layout->values.taken[value->operand.values] = false;
	if (value->wide)
		layout->values.taken[value->operand.values + 1] = false;
	if (value->mixed)
		layout->displays.taken[value->operand.display] = false;
}

// Frees a value's slots if no step behind this one needs it.
static void
free_if_last(Layout *layout, int number, int step)
{
	WaPlanValue *value;

	if (number == kNoValue)
		return;
	value = &layout->planner->values[number];
	if (value->operand.place != WA_PLACE_SLOT || value->last_step > step)
		return;
	free_value(layout, value);
	// The operand stays as it is, but must not be freed once more.
	value->last_step = kAtEnd;
}

// Returns a value as an operand.
static WaProgramOperand
operand_of(const Layout *layout, int number)
{
	WaProgramOperand operand = {};

	if (number == kNoValue)
		return operand;
	operand = layout->planner->values[number].operand;
	operand.mixed = layout->planner->values[number].mixed;
	operand.wide = layout->planner->values[number].wide;
	if (!operand.mixed)
		operand.display = layout->planner->values[number].display;
	return operand;
}

// Tells whether an argument is a column that is to have a slot now.
static bool
wants_slot(const Layout *layout, int number)
{
	const WaPlanValue *value;

	if (number == kNoValue)
		return false;
	value = &layout->planner->values[number];
	if (value->operand.place != WA_PLACE_COLUMN ||
		value->kind == WA_VECTOR_BOOL)
		return false;
	if (layout->planner->query->is_wide && value->kind == WA_VECTOR_DECIMAL)
		return true;
	return layout->in_slots && value->reads > 1;
}

// Tells whether a column is brought to a slot of 128 bits, or to one whose rows are
// in units of what they show.
static bool
needs_wide_copy(const Layout *layout, int number)
{
	const WaPlanValue *value = &layout->planner->values[number];

	return layout->planner->query->is_wide &&
		   value->kind == WA_VECTOR_DECIMAL && (value->wide || value->mixed);
}

// Brings a column to a slot if an argument is one that wants it.
static void
load_argument(Layout *layout, int number)
{
	WaProgramOp op = {};

	if (!wants_slot(layout, number))
		return;
	op.code = WA_CODE_INT_TO_DECIMAL;
	op.unit = needs_wide_copy(layout, number) ? WA_UNIT_WIDE : WA_UNIT_COPY;
	op.takes_values = true;
	op.gives_values = true;
	op.a = operand_of(layout, number);
	if (op.a.mixed && op.unit == WA_UNIT_COPY)
		op.how_display = WA_DISPLAY_FIRST;
	place_value(layout, &layout->planner->values[number]);
	op.out = operand_of(layout, number);
	layout->plan->ops.push_back(op);
}

// Notes that the values of a column are read of all rows.
static void
note_first(Layout *layout, int number)
{
	const WaPlanValue *value;

	if (number == kNoValue)
		return;
	value = &layout->planner->values[number];
	if (value->operand.place != WA_PLACE_COLUMN ||
		value->kind == WA_VECTOR_BOOL)
		return;
	for (uint16_t first : layout->plan->first)
		if (first == value->operand.number)
			return;
	layout->plan->first.push_back(value->operand.number);
}

// Finds the columns that are read before any row can be dropped.
static void
find_first(Layout *layout)
{
	const WaPlanner *planner = layout->planner;

	for (unsigned i = 0; i < planner->steps.size(); i++)
	{
		const WaPlanStep *step = &planner->steps[i];

		if (step->op.unit == WA_UNIT_KEEP)
			return;
		if (!step->op.takes_values)
			continue;
		note_first(layout, step->a);
		note_first(layout, step->b);
	}
	for (unsigned i = 0; i < planner->query->noutputs; i++)
		if (planner->query->outputs[i].d_values != NULL)
			note_first(layout, planner->outputs[i]);
}

// Makes the code of a step.
static void
place_step(Layout *layout, int number)
{
	WaPlanStep *step = &layout->planner->steps[number];

	if (step->op.takes_values)
	{
		load_argument(layout, step->a);
		load_argument(layout, step->b);
	}
	step->op.a = operand_of(layout, step->a);
	step->op.b = operand_of(layout, step->b);
	step->op.c = operand_of(layout, step->c);
	free_if_last(layout, step->a, number);
	free_if_last(layout, step->b, number);
	free_if_last(layout, step->c, number);
	if (step->out != kNoValue)
	{
		place_value(layout, &layout->planner->values[step->out]);
		step->op.out = operand_of(layout, step->out);
		free_if_last(layout, step->out, number);
	}
	layout->plan->ops.push_back(step->op);
}

// Makes the targets of the outputs.
static void
place_outputs(Layout *layout)
{
	const WaPlanner *planner = layout->planner;

	for (unsigned i = 0; i < planner->query->noutputs; i++)
	{
		const WaProgramOutput *output = &planner->query->outputs[i];
		WaProgramTarget target = {};

		if (output->d_values != NULL)
			load_argument(layout, planner->outputs[i]);
		target.from = operand_of(layout, planner->outputs[i]);
		target.filter = operand_of(layout, planner->filters[i]);
		target.form = (uint8_t) output->form;
		target.scale = planner->plan->scales[i];
		target.bits =
			planner->plan->mixed[i] ? output->mixed_bits : output->bits;
		target.values = output->d_values;
		target.validity = output->d_validity;
		target.display = output->d_display;
		layout->plan->targets.push_back(target);
	}
}

// Takes the slots of values back.
static void
unplace_values(WaPlanner *planner)
{
	for (unsigned i = 0; i < planner->values.size(); i++)
		if (planner->values[i].operand.place == WA_PLACE_SLOT)
		{
			memset(&planner->values[i].operand, 0,
				   sizeof(planner->values[i].operand));
			if (i >= planner->query->ncolumns)
				continue;
			planner->values[i].operand.place = WA_PLACE_COLUMN;
			planner->values[i].operand.number = (uint16_t) i;
		}
}

cudaError_t
wa_program_place_values(WaPlanner *planner, bool in_slots)
{
	Layout layout = {};
	WaProgramPlan *plan = planner->plan;
	WaProgramCounts *counts = &plan->counts;

	layout.planner = planner;
	layout.plan = plan;
	layout.in_slots = in_slots;
	plan->ops.clear();
	plan->first.clear();
	plan->targets.clear();
	unplace_values(planner);
	note_arguments(planner);
	find_first(&layout);
	for (unsigned i = 0; i < planner->steps.size(); i++)
		place_step(&layout, (int) i);
	place_outputs(&layout);
	if (std::max(layout.flags.count, layout.values.count) > kMaxOperands)
		return cudaErrorNotSupported;
	*counts = {(unsigned) plan->ops.size(), (unsigned) plan->targets.size(),
			   layout.values.count,         layout.displays.count,
			   layout.flags.count,          (unsigned) plan->first.size()};
	plan->shared_bytes = counts->nvalue_slots * kValueSlotBytes +
						 counts->ndisplay_slots * kDisplaySlotBytes +
						 counts->nflag_slots * kFlagSlotBytes;
	return cudaSuccess;
}
