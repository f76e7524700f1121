// expect: (3 << -2)
// The bits that are read would be changed.
#include "tile/layout/parse.hpp"
#include "tile/layout/swizzle.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Swizzle wrong{3, 4, 2};
