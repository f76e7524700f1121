// expect: tile_divides, 8, 100
// A tile of 8 rows for a matrix of 100.
#include "tile/layout/parse.hpp"
#include "tile/layout/tiling.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Layout wrong = tile::zipped_divide<"(100,64):(64,1)"_layout, "(8,32)"_tuple>();
