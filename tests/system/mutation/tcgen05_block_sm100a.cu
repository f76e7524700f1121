// One block for a tile, roles, two accumulators.
#include "tests/system/mutation/one_tcgen05_kernel.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm100Config config{.tile_n = 32, .tile_k = 32, .stages = 2};
struct Recipe : Sm100Recipe<config, tile::Accumulator, tile::Persistent> {};

}  // namespace

int main() { return run_tcgen05<Recipe>({1050, 40, 152}); }
