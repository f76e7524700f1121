// One thread loads and multiplies, its block stores from registers.
#include "tests/system/mutation/one_umma_kernel.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr UmmaConfig config{.tile_n = 32, .tile_k = 32, .stages = 2, .store = tile::Store::direct};
struct Recipe : tile::UmmaSingleRoleRecipe<config, tile::Accumulator, tile::Persistent> {};

}  // namespace

int main() { return run_umma<Recipe>({1050, 40, 152}); }
