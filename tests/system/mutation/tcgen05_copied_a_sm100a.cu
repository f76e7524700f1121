// A is copied to tensor memory; one block takes over the tiles of others.
#include "tests/system/mutation/one_tcgen05_kernel.cuh"
#include "tile/collective/mainloop/tcgen05_copied_a.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm100Config config{.tile_n = 16, .tile_k = 32, .stages = 2, .a_in_tmem = true};
struct Recipe
    : Sm100Recipe<config, tile::Accumulator, tile::LaunchControl, tile::Tcgen05CopiedA<config>> {};

}  // namespace

int main() { return run_tcgen05<Recipe>({1050, 24, 152}); }
