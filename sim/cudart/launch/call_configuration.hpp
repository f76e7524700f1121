// How a launch by <<<...>>> is told from one that returns its error: the kernel's stub takes the
// configuration off just before it launches, whatever compiler made it.
#pragma once

namespace aisp::sim {

// Whether the calling thread has taken one off since the last time this was asked.
bool take_call_configuration();

}  // namespace aisp::sim
