// expect: SharedMemory<378880, 232448>
// Seven stages of (128 + 256) x 64 bf16 and 32 KiB of staging.
#include "tile/collective/gemm_rules_sm90.hpp"

using namespace aisp;

constexpr tile::Sm90Config config{.stages = 7};
static_assert(tile::admitted<config>);
