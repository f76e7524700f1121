// Accumulators of 8-bit floats are collected outside the matrix unit.
#include "tests/system/mutation/one_kernel.cuh"
#include "tile/collective/mainloop/promoted_accumulators.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm90Config config{.a = Element::e4m3,
                            .b = Element::e4m3,
                            .out = Element::f32,
                            .tile_n = 64,
                            .tile_k = 64,
                            .stages = 3,
                            .promote = true};
struct Recipe
    : Sm90Recipe<config, tile::Accumulator, tile::Persistent, tile::PromotedAccumulators<config>> {
};

void run_of(int k) {
  Operands operands(config, {250, 120, k});
  launch_twice<Recipe>(operands, 2, 1);
  operands.d.download();
  check_each(
      "product", operands.a, operands.b, operands.d, 1,
      [](Numbers a, Numbers b) { return fp8_dot_product(a, b, config.tile_k); },
      [](DotProduct sum, int, int, int) { return sum; });
}

}  // namespace

// The main loop takes tiles in pairs: an even and an odd number of them.
int main() {
  run_of(4 * config.tile_k);
  run_of(5 * config.tile_k - 16);
  std::puts("ok");
  return 0;
}
