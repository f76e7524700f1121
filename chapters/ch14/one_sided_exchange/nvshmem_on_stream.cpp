// Beside the ladder: NVSHMEM's own put with signal, in the order of the streams.
#include "chapters/ch14/one_sided_exchange/pes.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch14:one_sided_exchange",
    {.name = "nvshmem_on_stream",
     .step = 0,
     .builds_on = "",
     .idea = "a kernel, NVSHMEM's put with signal, its wait for a signal, the next kernel",
     .look_at = "copies and flags of the library between the kernels, where staged has events",
     .needs = lab::Needs::sm_90a,
     .peer = true,
     .library = "NVSHMEM",
     .variants = {},
     .blocks_host = false,
     .prepare = [](lab::Setup& setup) {
       return ch14::prepare_with_nvshmem(setup, ch14::Way::on_stream);
     }}};

}  // namespace
