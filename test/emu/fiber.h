//
// fiber.h
//		Stacks that the emulator switches between, one per CUDA thread.
//
// A fiber runs for ever: its body gives control back to the host by
// wa_fiber_leave and goes on from there when it is entered again, from any
// host thread, by one at a time.
//
#ifndef WA_EMU_FIBER_H
#define WA_EMU_FIBER_H

typedef struct WaFiber WaFiber;

// Makes a fiber that will run body(argument), which must not return.
WaFiber *wa_fiber_create(void (*body)(void *), void *argument);

// Runs the fiber on its stack until it leaves.  Called by the host.
void wa_fiber_enter(WaFiber *fiber);

// Gives control back to the host.  Called by the fiber itself.
void wa_fiber_leave(WaFiber *fiber);

#endif // WA_EMU_FIBER_H
