//
// fiber.h
//		Stacks that the emulator switches between, one per CUDA thread.
//
// A fiber runs for ever: its body gives control back to the host by
// wa_fiber_leave, or to another fiber by wa_fiber_pass, and goes on from there when
// it gets it again.  There is one host at a time, which may be any thread.
//
#ifndef WA_EMU_FIBER_H
#define WA_EMU_FIBER_H

typedef struct WaFiber WaFiber;

// Makes a fiber that will run body(argument), which must not return.
WaFiber *wa_fiber_create(void (*body)(void *), void *argument);

// Runs the fiber on its stack until it, or one that it has passed control to, leaves.
// Called by the host.
void wa_fiber_enter(WaFiber *fiber);

// Gives control back to the host.  Called by the fiber itself.
void wa_fiber_leave(WaFiber *fiber);

// Gives control to another fiber.  Called by the one that runs.
void wa_fiber_pass(WaFiber *from, WaFiber *to);

#endif // WA_EMU_FIBER_H
