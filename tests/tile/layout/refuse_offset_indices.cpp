// expect: got = 3; int wanted = 2
// Three indices for a matrix, in a kernel's form.
#include "tile/layout/offset.hpp"
#include "tile/layout/parse.hpp"

using namespace aisp;

using namespace tile::literals;

constexpr int wrong = tile::offset_at<"(4,8):(8,1)"_layout>(1, 2, 3);
