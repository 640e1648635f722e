/*
 * gpu_look_up.c
 *		Look-ups in tables (core/lookup_table.h) on GPUs; see gpu_translation.h.
 */
#include "daemon/gpu/gpu_translation.h"

uint16_t
wa_gpu_add_register(WaGpuTranslation *to, WaVectorKind kind)
{
	to->kinds[to->nregisters] = kind;
	return to->nregisters++;
}

uint16_t
wa_gpu_add_value(WaGpuTranslation *to, WaVectorKind kind, uint8_t scale,
				 int64_t value, bool is_null)
{
	const uint16_t number = wa_gpu_add_register(to, kind);

	to->constants[to->nconstants++] = (WaProgramConstant){
		.number = number, .is_null = is_null, .scale = scale, .value.i = value};
	return number;
}

uint16_t
wa_gpu_add_look_up(WaGpuTranslation *to, uint16_t argument,
				   const WaLookupTable *table, WaVectorKind kind)
{
	const uint16_t out = wa_gpu_add_register(to, kind);

	to->tables[to->ntables] = *table;
	to->tables[to->ntables].results = WA_LOOKUP_WORDS;
	to->tables[to->ntables].null_has_value = false;
	wa_gpu_add_instruction(to, (WaInstruction){.code = WA_CODE_LOOK_UP,
											   .out = out,
											   .a = argument,
											   .extra = to->ntables++});
	return out;
}

/* Gives a register a value where the argument is NULL; returns that of the result. */
static uint16_t
add_null_value(WaGpuTranslation *to, uint16_t argument,
			   const WaLookupTable *table, WaVectorKind kind, uint16_t value)
{
	const uint16_t condition = wa_gpu_add_register(to, WA_VECTOR_BOOL);
	const uint16_t out = wa_gpu_add_register(to, kind);

	wa_gpu_add_instruction(to, (WaInstruction){.code = WA_CODE_IS_NULL,
											   .out = condition,
											   .a = argument});
	wa_gpu_add_instruction(
		to, (WaInstruction){.code = WA_CODE_SELECT,
							.out = out,
							.a = condition,
							.b = wa_gpu_add_value(to, kind, table->scale,
												  table->null_value, false),
							.c = value,
							.extra = kind});
	return out;
}

bool
wa_gpu_table_is_plain(const WaLookupTable *table)
{
	return table->results == WA_LOOKUP_WORDS && !table->null_has_value;
}

void
wa_gpu_translate_look_up(WaGpuTranslation *to, const WaInstruction *from)
{
	const WaLookupTable *table = &to->query->program.tables[from->extra];
	const WaVectorKind kind = table->results == WA_LOOKUP_WORDS
								  ? to->kinds[from->out]
								  : WA_VECTOR_INT;
	uint16_t number;

	if (wa_gpu_table_is_plain(table))
	{
		wa_gpu_add_instruction(to, *from);
		return;
	}
	number = wa_gpu_add_look_up(to, from->a, table, kind);
	if (table->null_has_value)
		number = add_null_value(to, from->a, table, kind, number);
	if (table->results == WA_LOOKUP_BOOLS)
		wa_gpu_add_instruction(
			to, (WaInstruction){
					.code = WA_CODE_COMPARE_INT,
					.out = from->out,
					.a = number,
					.b = wa_gpu_add_value(to, WA_VECTOR_INT, 0, 1, false),
					.extra = WA_EQUAL});
	else
		/* The register that the value is in already takes the other's place. */
		to->instructions[to->ninstructions - 1].out = from->out;
}
