// Blocks split the sum over K of a tile and end together, some of its columns each.
#include "tests/system/mutation/one_kernel.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm90Config config{.tile_n = 64, .tile_k = 32, .stages = 3, .store = tile::Store::direct};
struct Recipe : Sm90Recipe<config, tile::Accumulator, tile::SplitKScatter> {};

}  // namespace

int main() { return run<Recipe>({120, 120, 500}, 4, 2); }
