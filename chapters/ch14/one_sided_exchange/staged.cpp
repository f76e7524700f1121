// The baseline: what a kernel computes goes to the other ranks by copies of its stream, and events
// order them.
#include "chapters/ch14/one_sided_exchange/way.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch14:one_sided_exchange",
    {.name = "staged",
     .step = 0,
     .builds_on = "",
     .idea = "a kernel, copies to the other ranks, an event, the next kernel",
     .look_at = "in a trace, the device's idle time between a kernel and the next: copies, events, "
                "launches",
     .needs = lab::Needs::sm_90a,
     .peer = false,
     .variants = {},
     .blocks_host = false,
     .prepare = [](lab::Setup& setup) { return ch14::prepare(setup, ch14::Way::staged); }}};

}  // namespace
