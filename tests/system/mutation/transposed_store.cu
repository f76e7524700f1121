// The output is stored transposed: warpgroups, not warps, meet around their staging.
#include "tests/system/mutation/one_kernel.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm90Config config{.out_major = Major::mn, .tile_n = 128, .tile_k = 32, .stages = 3};
struct Recipe : Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};

}  // namespace

int main() { return run<Recipe>({248, 250, 152}, 2); }
