//
// fiber.cpp
//		Fibers: a switch of a few instructions on x86-64, ucontext elsewhere.
//
// swapcontext makes two system calls a switch, which a kernel of some thousand
// shuffles would feel.  The address sanitizer is told of every switch.
//
#include "fiber.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

static const size_t kStackBytes = 160 * 1024;

// Stacks begin at addresses of which the low bits differ: else the tops of all
// of them would have the same few places in the processor's caches.
static const size_t kStaggerBytes = 17 * 64;
static const size_t kMaxStaggerBytes = 32 * 1024;

// One of the two sides of a switch.
struct Side
{
#ifdef __x86_64__
	void *stack_pointer;
#else
	ucontext_t context;
#endif
	void *fake_stack; // the address sanitizer's
	const void *bottom;
	size_t bytes;
};

struct WaFiber
{
	Side own;
	void (*body)(void *);
	void *argument;
};

// Who entered the fibers, and the side that the last switch has left.
static Side host;
static Side *left_side;

#ifdef __x86_64__

// Saves the registers that a callee has to keep and the stack pointer, and
// takes those of the other side.
extern "C" void wa_fiber_swap(void **save, void *load);

asm(R"(
	.text
	.globl wa_fiber_swap
	.type wa_fiber_swap, @function
wa_fiber_swap:
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
	.size wa_fiber_swap, . - wa_fiber_swap
)");

#endif

// Goes over from one side to the other; returns when it is gone back to.
static void
switch_sides(Side *from, Side *to)
{
	left_side = from;
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_start_switch_fiber(&from->fake_stack, to->bottom, to->bytes);
#endif
#ifdef __x86_64__
	wa_fiber_swap(&from->stack_pointer, to->stack_pointer);
#else
	swapcontext(&from->context, &to->context);
#endif
}

// Tells the sanitizer that this side runs now, and learns where the one that was left
// has its stack.
static void
finish_switch(const Side *side)
{
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_finish_switch_fiber(side->fake_stack, &left_side->bottom,
									&left_side->bytes);
#else
	(void) side;
#endif
}

// The fiber that is entered for the first time.
static WaFiber *starting;

static void
start_fiber()
{
	WaFiber *fiber = starting;

	finish_switch(&fiber->own);
	fiber->body(fiber->argument);
	abort();
}

WaFiber *
wa_fiber_create(void (*body)(void *), void *argument)
{
	static size_t stagger;
	WaFiber *fiber = static_cast<WaFiber *>(calloc(1, sizeof(WaFiber)));
	void *stack = mmap(NULL, kStackBytes, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (fiber == NULL || stack == MAP_FAILED)
	{
		fprintf(stderr, "emulator: could not allocate a fiber\n");
		abort();
	}
	fiber->body = body;
	fiber->argument = argument;
	fiber->own.bottom = stack;
	fiber->own.bytes = kStackBytes;
#ifdef __x86_64__
	// Six registers, the address to return to, and a word that makes the stack
	// aligned as after a call.
	void **top =
		reinterpret_cast<void **>(static_cast<char *>(stack) + kStackBytes -
								  stagger - 8 * sizeof(void *));
	void (*entry)() = start_fiber;

	memcpy(&top[6], &entry, sizeof(entry));
	fiber->own.stack_pointer = top;
#else
	getcontext(&fiber->own.context);
	fiber->own.context.uc_stack.ss_sp = stack;
	fiber->own.context.uc_stack.ss_size = kStackBytes - stagger;
	fiber->own.context.uc_link = NULL;
	makecontext(&fiber->own.context, start_fiber, 0);
#endif
	stagger = (stagger + kStaggerBytes) % kMaxStaggerBytes;
	return fiber;
}

void
wa_fiber_enter(WaFiber *fiber)
{
	starting = fiber;
	switch_sides(&host, &fiber->own);
	finish_switch(&host);
}

void
wa_fiber_pass(WaFiber *from, WaFiber *to)
{
	starting = to;
	switch_sides(&from->own, &to->own);
	finish_switch(&from->own);
}

void
wa_fiber_leave(WaFiber *fiber)
{
	switch_sides(&fiber->own, &host);
	finish_switch(&fiber->own);
}
