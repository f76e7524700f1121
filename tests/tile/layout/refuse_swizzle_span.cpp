// expect: (256 << -16)
// No TMA swizzle spans 256 bytes.
#include "tile/layout/parse.hpp"
#include "tile/layout/swizzle.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Swizzle wrong = tile::memory_swizzle(256, 16);
