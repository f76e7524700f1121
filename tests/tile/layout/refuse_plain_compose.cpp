// expect: (4 << -6)
// Also without template arguments the numbers are printed.
#include "tile/layout/algebra.hpp"
#include "tile/layout/parse.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Layout wrong = tile::compose("(6,4):(1,100)"_layout, "3:4"_layout);
