// bf16 times 8 bits: int8 or e4m3 weights beside bf16 activations.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types s8_bf16{.a = Element::s8, .b = Element::bf16, .out = Element::bf16};
constexpr Types e4m3_bf16{.a = Element::e4m3, .b = Element::bf16, .out = Element::bf16};

}  // namespace

void add_mixed(RecipeTable& table) {
  add<Mixed128x256<s8_bf16>, MixedTurned128x256<s8_bf16>>(table);
  add<Mixed128x256<e4m3_bf16>, MixedTurned128x256<e4m3_bf16>>(table);
}

}  // namespace tile::device
