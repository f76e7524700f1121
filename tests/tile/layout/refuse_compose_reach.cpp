// expect: inner_within_outer, 25, 24
// The inner layout has an index that the outer one does not know.
#include "tile/layout/algebra.hpp"
#include "tile/layout/parse.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Layout wrong = tile::compose<"(6,4):(1,100)"_layout, "25:1"_layout>();
