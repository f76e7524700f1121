// One kernel for each rank: flags in the other ranks' memory take the place of events and launches.
#include "chapters/ch14/one_sided_exchange/way.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch14:one_sided_exchange",
    {.name = "signal_in_kernel",
     .step = 2,
     .builds_on = "put_in_kernel",
     .idea = "the kernel signals what it has put, goes on, and waits inside for what it needs",
     .look_at = "one kernel for each rank; st.release.sys behind the stores, ld.acquire.sys in the "
                "loops that wait",
     .needs = lab::Needs::sm_90a,
     .peer = false,
     .variants = {},
     .blocks_host = false,
     .prepare = [](lab::Setup& setup) { return ch14::prepare(setup, ch14::Way::one_sided); }}};

}  // namespace
