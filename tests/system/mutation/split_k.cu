// Blocks split the sum over K of a tile; one of them adds up what the others leave.
#include "tests/system/mutation/one_kernel.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm90Config config{.tile_n = 64, .tile_k = 32, .stages = 3};
struct Recipe : Sm90Recipe<config, tile::Accumulator, tile::SplitK> {};

}  // namespace

int main() { return run<Recipe>({250, 120, 400}, 3, 3); }
