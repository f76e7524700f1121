// Two math warpgroups share a tile, TMA stores it.
#include "tests/system/mutation/one_kernel.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm90Config config{.tile_n = 128, .tile_k = 32, .stages = 3};
struct Recipe : Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};

}  // namespace

int main() { return run<Recipe>({200, 248, 152}, 2); }
