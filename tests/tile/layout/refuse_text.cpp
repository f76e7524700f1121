// expect: (8 << -12)
// The outer parenthesis is still open where the stride begins.
#include "tile/layout/parse.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Layout wrong = "(4,(2,2):2,1"_layout;
