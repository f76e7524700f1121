// A pair of blocks for a tile, in clusters that share A, tiles by launch control.
#include "tests/system/mutation/one_tcgen05_kernel.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm100Config config{
    .tile_m = 256, .tile_n = 32, .tile_k = 32, .stages = 2, .cta_group = 2, .cluster_n = 2};
struct Recipe : Sm100Recipe<config, tile::Accumulator, tile::LaunchControl> {};

}  // namespace

int main() { return run_tcgen05<Recipe>({1050, 72, 152}); }
