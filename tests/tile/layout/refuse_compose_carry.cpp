// expect: modes_do_not_carry, 7, 6
// Two inner modes of stride 1 together leave the outer mode of six.
#include "tile/layout/algebra.hpp"
#include "tile/layout/parse.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Layout wrong = tile::compose<"(6,4):(1,100)"_layout, "(4,4):(1,1)"_layout>();
