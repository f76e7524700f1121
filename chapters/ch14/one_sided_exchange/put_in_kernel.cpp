// Copies become stores of the kernel; events still order the ranks' kernels.
#include "chapters/ch14/one_sided_exchange/way.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch14:one_sided_exchange",
    {.name = "put_in_kernel",
     .step = 1,
     .builds_on = "staged",
     .idea = "the kernel stores straight into the other ranks' memory",
     .look_at =
         "no copies in the trace; a kernel still ends, and another begins, wherever ranks meet",
     .needs = lab::Needs::sm_90a,
     .peer = false,
     .variants = {},
     .blocks_host = false,
     .prepare = [](lab::Setup& setup) { return ch14::prepare(setup, ch14::Way::put); }}};

}  // namespace
