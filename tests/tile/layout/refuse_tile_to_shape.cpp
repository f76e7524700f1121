// expect: tile_divides, 64, 96
// A block of 64 columns cannot fill 96.
#include "tile/layout/parse.hpp"
#include "tile/layout/tiling.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Layout wrong =
    tile::tile_to_shape<"(8,64):(64,1)"_layout, "(128,96)"_tuple, "(0,1)"_tuple>();
