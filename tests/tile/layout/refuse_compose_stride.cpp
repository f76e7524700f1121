// expect: stride_and_extent_divide, 4, 6
// The inner stride 4 walks neither within nor over an outer mode of extent 6.
#include "tile/layout/algebra.hpp"
#include "tile/layout/parse.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Layout wrong = tile::compose<"(6,4):(1,100)"_layout, "3:4"_layout>();
