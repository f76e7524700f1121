// bf16 into f32, as gradients of weights are added up.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types k_k{.a = Element::bf16, .b = Element::bf16, .out = Element::f32};
constexpr Types a_mn{
    .a = Element::bf16, .b = Element::bf16, .out = Element::f32, .a_major = Major::mn};
constexpr Types b_mn{
    .a = Element::bf16, .b = Element::bf16, .out = Element::f32, .b_major = Major::mn};
constexpr Types both_mn{.a = Element::bf16,
                        .b = Element::bf16,
                        .out = Element::f32,
                        .a_major = Major::mn,
                        .b_major = Major::mn};

}  // namespace

void add_bf16_to_f32(RecipeTable& table) {
  add<Cooperative128x256Pair<k_k>, Slices128x64<k_k>>(table);
  add<PingPong128x128Pair<a_mn>>(table);
  add<PingPong128x128Pair<b_mn>>(table);
  add<PingPong128x128Pair<both_mn>>(table);
}

}  // namespace tile::device
