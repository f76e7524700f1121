// Clusters of two blocks share the copies of A, warpgroups take turns.
#include "tests/system/mutation/one_kernel.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm90Config config{.out = Element::f32,
                            .tile_m = 64,
                            .tile_n = 64,
                            .tile_k = 32,
                            .stages = 3,
                            .cluster_n = 2,
                            .roles = tile::Roles::ping_pong};
struct Recipe : Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};

}  // namespace

int main() { return run<Recipe>({250, 248, 152}, 2); }
