// No roles: one of the threads that multiply asks for the copies.
#include "tests/system/mutation/one_kernel.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm90Config config{.out = Element::f32, .tile_n = 64, .tile_k = 32, .stages = 3};
struct Recipe : tile::Sm90SingleRoleRecipe<config, tile::Accumulator, tile::Persistent> {};

}  // namespace

int main() { return run<Recipe>({250, 120, 250}, 2); }
