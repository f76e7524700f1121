// A is copied to tensor memory; one block takes over the tiles of others.
#include "tests/system/mutation/one_umma_kernel.cuh"
#include "tile/collective/mainloop/umma_copied_a.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr UmmaConfig config{.tile_n = 16, .tile_k = 32, .stages = 2, .a_in_tmem = true};
struct Recipe
    : UmmaRecipe<config, tile::Accumulator, tile::LaunchControl, tile::UmmaCopiedA<config>> {};

}  // namespace

int main() { return run_umma<Recipe>({1050, 24, 152}); }
