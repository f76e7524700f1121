// Attention of bf16 heads of 128 elements, as tile/instances has it.
#include "tile/kernel/attention_sm90.cuh"

using namespace aisp::tile;

struct Head128
    : Sm90AttentionRecipe<Sm90AttentionConfig{.element = Element::bf16, .head_size = 128}> {};

template __global__ void aisp::tile::attention_forward<Head128>(
    const __grid_constant__ AttentionForward);
