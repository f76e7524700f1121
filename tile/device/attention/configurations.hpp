// Which configuration the attention kernel has for an element and a head size: of the compiled
// instances (tile/instances/attention/) and of the kernels with functions that jit/attention/
// compiles at run time. A window changes no configuration: it is an argument of the kernels.
#pragma once

#include "tile/collective/attention/config_sm100.hpp"
#include "tile/device/attention/problem.hpp"

namespace aisp::tile::device {

constexpr bool is_16_bits(Element element) {
  return element == Element::bf16 || element == Element::f16;
}

// On Hopper: the kernel with roles, and the one that splits the keys of few queries.
constexpr bool has_forward(Element element, int head_size) {
  if (element == Element::e4m3) return head_size == 64 || head_size == 128 || head_size == 256;
  return is_16_bits(element) &&
         (head_size == 64 || head_size == 96 || head_size == 128 || head_size == 256);
}
constexpr bool has_decode(Element element, int head_size) {
  return is_16_bits(element) && has_forward(element, head_size);
}
// On Blackwell.
constexpr bool has_forward_sm100(Element element, int head_size) {
  return is_16_bits(element) && (head_size == 64 || head_size == 128);
}

// `plain`: sequences of one length, neither packed nor paged, and no functions. Packed and paged
// sequences take more of the loading warp, functions take registers.
constexpr Sm90AttentionConfig forward_config(Element element, int head_size, bool plain) {
  Sm90AttentionConfig config{.element = element, .head_size = head_size};
  // Accumulators of heads of 256 leave registers for 64 keys at a time.
  if (head_size == 256) config.block_keys = 64;
  if (element == Element::e4m3) {
    config.key_stages = 2;
    return config;
  }
  if (head_size == 64) config.key_stages = config.value_stages = 4;
  if (head_size == 96) config.key_stages = config.value_stages = 3;
  // Small heads leave registers for a third warpgroup, and their softmax, which is as long as their
  // products, needs it; three find their turns by themselves.
  if (head_size == 64 && plain) {
    config.math_warpgroups = 3;
    config.ping_pong = false;
    config.plain = true;
  }
  return config;
}

constexpr Sm100AttentionConfig forward_config_sm100(Element element, int head_size) {
  Sm100AttentionConfig config{.element = element, .head_size = head_size};
  if (head_size == 64) config.key_stages = config.value_stages = 4;
  return config;
}

// Of a problem.
constexpr bool is_plain(const AttentionProblem& problem) {
  return problem.query_starts == nullptr && problem.kv_lengths == nullptr &&
         problem.page_table == nullptr;
}

// The decode kernel takes so many rows that share keys: the queries of the heads that do.
inline constexpr int decode_rows = 64;
constexpr std::int64_t rows_sharing_keys(const AttentionProblem& problem) {
  return std::int64_t{problem.query_rows} * (problem.query_heads / problem.kv_heads);
}
constexpr bool takes_decode(const AttentionProblem& problem) {
  return rows_sharing_keys(problem) <= decode_rows &&
         has_decode(problem.q.element, problem.head_size);
}

}  // namespace aisp::tile::device
