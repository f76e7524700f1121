// expect: (3 << -2)
// Three indices for a matrix.
#include "tile/layout/layout.hpp"
#include "tile/layout/parse.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr int wrong = "(4,8):(8,1)"_layout(1, 2, 3);
