// expect: strides_nest, 6, 4
// Stride 6 is no multiple of the four offsets below it.
#include "tile/layout/algebra.hpp"
#include "tile/layout/parse.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Layout wrong = tile::complement<"(4,2):(1,6)"_layout, 24>();
