// The program's other host threads, as the system shows them. What one thread has waited for tells
// another nothing unless the two synchronise, and how they do that is not seen: a plain atomic is
// enough. So nothing is concluded from the order in which they happen to call. Instead a wait is
// held for a moment while another thread may be about to submit work: what comes before the wait
// has returned is not ordered by it.
#pragma once

#include <chrono>
#include <functional>

namespace aisp::sim {

void note_simulator_thread();  // the caller is no thread of the program

// Returns when all other threads are blocked, or after a while. A call of the program is held a few
// times only. `busy`: other threads wait for the device, and will go on.
void hold_for_other_threads(const std::function<bool()>& busy);

// Returns when `goes_on` is false, or when nobody is left who could make it so: all other threads
// have been blocked for a while.
void wait_while_others_run(const std::function<bool()>& goes_on);

}  // namespace aisp::sim
