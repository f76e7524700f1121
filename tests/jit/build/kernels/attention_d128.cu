// Attention of bf16 heads of 128 elements, as tile/instances has it.
#include "tile/kernel/attention_forward.cuh"

using namespace aisp::tile;

struct Head128 : AttentionRecipe<AttentionConfig{.element = Element::bf16, .head_size = 128}> {};

template __global__ void aisp::tile::attention_forward<Head128>(
    const __grid_constant__ AttentionForward);
