// expect: MulticastParts<128, 24>
// Three blocks cannot have equal parts of A's 128 lines.
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.cluster_n = 3};
static_assert(tile::admitted<config>);
