// expect: (294912 <= 232448)
#include "tile/atom/mma_sm80.hpp"
#include "tile/collective/multistage_config.hpp"

using namespace aisp;

constexpr tile::MultistageConfig config{.stages = 12};
static_assert(tile::multistage_admitted<tile::MmaSync<tile::Element::bf16>, config>);
