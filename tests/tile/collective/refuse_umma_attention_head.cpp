// expect: UmmaAttentionCounts<96, 2
#include "tile/collective/attention/umma_config.hpp"

using namespace aisp::tile;

static_assert(umma_attention_admitted<UmmaAttentionConfig{.head_size = 96}>);
