// Rung 1: wgmma. Nothing but the atom changes: the matrix unit reads the same tiles in shared
// memory itself and adds to the same accumulators in the same registers.
#include "chapters/ch09/tile_gemm/products.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch09:tile_gemm",
    {.name = "wgmma_atom",
     .step = 1,
     .builds_on = "fma_atom",
     .idea = "the matrix unit's wgmma instead, all else equal",
     .look_at = "tensor pipe utilisation; one instruction for 64 x 256 x 32 bytes of k",
     .needs = lab::Needs::sm_90a,
     .prepare = [](lab::Setup& setup) {
       return ch09::run_product(setup.problem(), ch09::Atom::wgmma);
     }}};

}  // namespace
