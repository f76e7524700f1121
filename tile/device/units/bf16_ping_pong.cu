// bf16: warpgroups that take turns.
#include "tile/device/units/recipes.cuh"
#include "tile/device/units/units.hpp"

namespace tile::device {
namespace {

constexpr Types bf16{.a = Element::bf16, .b = Element::bf16, .out = Element::bf16};

}  // namespace

void add_bf16_ping_pong(RecipeTable& table) {
  add<PingPong128x112<bf16>, PingPong128x128<bf16>, PingPong128x128Pair<bf16>,
      PingPong128x160<bf16>, PingPong128x176Pair<bf16>, PingPong128x192Pair<bf16>>(table);
}

}  // namespace tile::device
