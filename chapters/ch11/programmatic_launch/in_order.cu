// Rung 0: the kernels in order on one stream. Each starts when the last block of the one ahead is
// gone and its writes are out, and only then asks for its weights.
#include "chapters/ch11/programmatic_launch/launch.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch11::chain::threads)
    chain_in_order(const __grid_constant__ ch11::chain::Layer layer) {
  if constexpr (tile::arch::has_bulk_copies)
    ch11::chain::run_layer<ch11::chain::Overlap::none>(layer);
  else
    __trap();
}

namespace {

lab::Run prepare(lab::Setup& setup) {
  return ch11::chain::prepare_chain(setup, chain_in_order, false);
}

const lab::RungEntry entry{"ch11:programmatic_launch",
                           {.name = "in_order",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one kernel after the other on one stream",
                            .look_at = "the gap between two kernels, and memory idle in it",
                            .needs = lab::Needs::sm_90,
                            .prepare = prepare}};

}  // namespace
