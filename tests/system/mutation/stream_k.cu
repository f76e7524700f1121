// Blocks have equal slices of all k-blocks; some tiles are shared by two of them.
#include "tests/system/mutation/one_kernel.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm90Config config{.out = Element::f32, .tile_n = 64, .tile_k = 32, .stages = 3};
struct Recipe : Sm90Recipe<config, tile::Accumulator, tile::StreamK> {};

}  // namespace

int main() { return run<Recipe>({250, 184, 400}, 4); }
