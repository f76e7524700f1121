// expect: (4 << -16)
// Lane 1 reads 16 bytes at byte 4.
#include "tile/layout/banks.hpp"
#include "tile/layout/parse.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr int wrong = tile::bank_access("32:1"_layout, 4, 16).wavefronts;
