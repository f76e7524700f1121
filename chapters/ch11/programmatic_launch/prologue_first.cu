// Rung 2: a kernel lets the next one start right away, and that one fetches its weights before it
// waits. Up to as many layers as there is room for are on their way while one computes.
#include "chapters/ch11/programmatic_launch/launch.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch11::chain::threads)
    chain_prologue_first(const __grid_constant__ ch11::chain::Layer layer) {
  if constexpr (tile::arch::has_bulk_copies)
    ch11::chain::run_layer<ch11::chain::Overlap::prologue_first>(layer);
  else
    __trap();
}

namespace {

lab::Run prepare(lab::Setup& setup) {
  return ch11::chain::prepare_chain(setup, chain_prologue_first, true);
}

const lab::RungEntry entry{
    "ch11:programmatic_launch",
    {.name = "prologue_first",
     .step = 2,
     .builds_on = "waits_first",
     .idea = "the next kernel may start at once; weights are fetched before the wait",
     .look_at = "griddepcontrol.launch_dependents first, UBLKCP before griddepcontrol.wait",
     .needs = lab::Needs::sm_90,
     .prepare = prepare}};

}  // namespace
