// expect: (17 << -16)
// One leaf more than a tuple holds.
#include "tile/layout/parse.hpp"
#include "tile/layout/tuple.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr tile::Tuple wrong{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
