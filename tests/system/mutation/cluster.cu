// Clusters of two blocks share the copies of B.
#include "tests/system/mutation/one_kernel.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm90Config config{.tile_n = 64, .tile_k = 32, .stages = 3, .cluster_m = 2};
struct Recipe : Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};

}  // namespace

int main() { return run<Recipe>({500, 184, 152}, 2); }
