// Attention of bf16 heads of 64 elements, as tile/instances has it: three math warpgroups.
#include "tile/kernel/attention_sm90.cuh"

using namespace aisp::tile;

struct Head64 : Sm90AttentionRecipe<Sm90AttentionConfig{.element = Element::bf16,
                                                        .head_size = 64,
                                                        .math_warpgroups = 3,
                                                        .key_stages = 4,
                                                        .value_stages = 4,
                                                        .ping_pong = false,
                                                        .plain = true}> {};

template __global__ void aisp::tile::attention_forward<Head64>(
    const __grid_constant__ AttentionForward);
