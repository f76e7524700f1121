// Rung 0: FMAs. The kernel is the one of the last rung, with its ring, roles and epilogue; its main
// loop reads operands from shared memory into registers and multiplies there.
#include "chapters/ch09/tile_gemm/products.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch09:tile_gemm",
    {.name = "fma_atom",
     .step = 0,
     .builds_on = "",
     .idea = "tile library, each product an FMA of one thread",
     .look_at = "issue slots: an FMA per product, and conversions of the narrow types",
     .needs = lab::Needs::sm_90a,
     .prepare = [](lab::Setup& setup) {
       return ch09::run_product(setup.problem(), ch09::Atom::fma);
     }}};

}  // namespace
