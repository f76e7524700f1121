// expect: extent_is_multiple, 8, 6
// Eight steps do not end with an outer mode of six.
#include "tile/layout/algebra.hpp"
#include "tile/layout/parse.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Layout wrong = tile::compose<"(6,4):(1,100)"_layout, "8:1"_layout>();
