// expect: (89 <= 80)
// Ampere has no fp8 instruction.
#include "tile/atom/mma_sm80.hpp"

using namespace aisp;

constexpr tile::AtomExists<tile::MmaSync<tile::Element::e4m3>, 80> wrong{};
