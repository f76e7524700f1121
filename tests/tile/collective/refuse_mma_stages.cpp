// expect: (294912 <= 232448)
#include "tile/atom/mma_sm80.hpp"
#include "tile/collective/gemm_config_sm80.hpp"

using namespace aisp;

constexpr tile::Sm80Config config{.stages = 12};
static_assert(tile::multistage_admitted<tile::MmaSync<tile::Element::bf16>, config>);
