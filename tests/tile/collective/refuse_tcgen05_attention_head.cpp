// expect: Sm100AttentionCounts<96, 2
#include "tile/collective/attention/config_sm100.hpp"

using namespace aisp::tile;

static_assert(sm100_attention_admitted<Sm100AttentionConfig{.head_size = 96}>);
