// Attention as a problem: o = softmax(scale * q k' + mask) v for every head, scale 1 / sqrt(D).
// Tensors are (B, H, S, D) for q and o, (B, KV, S, D) for k and v, row-major; H is a multiple of
// KV, neighbouring query heads share a head of keys and values.
#pragma once

#include <string>

#include "lab/case/case.hpp"
#include "lab/judge/attention_shape.hpp"

namespace aisp::lab {

// Inputs q, k, v, output o, all of that type (bf16 or f16). q is drawn so that scores have a
// standard deviation of about 2: the softmax has something to do, and a wrong maximum shows.
// flops = 4 * pairs * D * B * H, the two products; unit matrix_bf16.
Problem attention_problem(const std::string& target, const Size& size, const AttentionShape& shape,
                          Dtype dtype);

}  // namespace aisp::lab
