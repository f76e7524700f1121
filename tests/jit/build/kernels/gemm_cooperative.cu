// A product of bf16 matrices whose two math warpgroups share a tile, as tile/instances has it.
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/kernel/gemm_sm90.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp::tile;

using Recipe =
    Sm90Recipe<Sm90Config{.tile_n = 256, .stages = 4}, Linear<Element::bf16>, Persistent>;

extern "C" __global__ void __launch_bounds__(Recipe::config.threads(), 1)
    gemm_cooperative(const __grid_constant__ GemmParams<Recipe> params) {
  gemm_body<Recipe>(params);
}
