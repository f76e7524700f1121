// expect: (3 << -2)
// A shape of three leaves with a stride of two.
#include "tile/layout/layout.hpp"
#include "tile/layout/parse.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Layout wrong{{4, {2, 2}}, {1, 4}};
