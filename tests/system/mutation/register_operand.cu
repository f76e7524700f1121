// A is widened in registers, from where the matrix unit takes it.
#include "tests/system/mutation/one_kernel.cuh"
#include "tile/collective/mainloop/register_operand.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm90Config config{
    .a = Element::s8, .out = Element::f32, .tile_n = 64, .tile_k = 32, .stages = 3};
struct Recipe
    : Sm90Recipe<config, tile::Accumulator, tile::Persistent, tile::RegisterOperand<config>> {};

}  // namespace

int main() { return run<Recipe>({250, 120, 152}, 2); }
