// Beside the ladder: the kernels of signal_in_kernel in the symmetric heap of NVSHMEM, whose PEs
// are processes.
#include "chapters/ch14/one_sided_exchange/pes.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch14:one_sided_exchange",
    {.name = "nvshmem_in_kernel",
     .step = 0,
     .builds_on = "",
     .idea = "NVSHMEM's symmetric heap: the same stores and signals reach other processes",
     .look_at = "the same kernels; nvshmem_ptr in place of cudaMalloc and peer access",
     .needs = lab::Needs::sm_90a,
     .peer = true,
     .library = "NVSHMEM",
     .variants = {},
     .blocks_host = false,
     .prepare = [](lab::Setup& setup) {
       return ch14::prepare_with_nvshmem(setup, ch14::Way::one_sided);
     }}};

}  // namespace
