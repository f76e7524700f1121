// The score and mask functions of the flex targets, each written once: the kernel, the block mask
// and the float64 reference are made of these.
#pragma once

#include "chapters/ch14/common/flex_kinds.hpp"
#include "jit/attention.hpp"

namespace aisp::ch14 {

// Memory of the device, or of the host where the functions are only read with numbers.
struct FlexArrays {
  const float* slope = nullptr;  // (heads)
  std::int64_t heads = 0;
  const int* document = nullptr;  // (rows)
  std::int64_t rows = 0;
};

inline jit::ScoreFunctions flex_functions(Flex flex, const FlexArrays& arrays) {
  using jit::AttentionFunctions;
  const jit::Array<float> slope(arrays.slope, static_cast<std::size_t>(arrays.heads), "slope");
  const jit::Array<int> document(arrays.document, static_cast<std::size_t>(arrays.rows),
                                 "document");
  const int prefix = prefix_rows(arrays.rows);
  const auto alibi = [=](auto s, auto at) { return s + slope[at.head] * (at.key - at.query); };
  const auto causal = [](auto at) { return at.query >= at.key; };
  switch (flex) {
    case Flex::alibi:
      return AttentionFunctions{.score = alibi};
    case Flex::soft_cap:
    case Flex::soft_cap_precise:
      return AttentionFunctions{
          .score = [](auto s, auto) { return flex_cap * tanh(s / flex_cap); }};
    case Flex::causal:
      return AttentionFunctions{.mask = causal};
    case Flex::causal_alibi:
      return AttentionFunctions{.score = alibi, .mask = causal};
    case Flex::document:
      return AttentionFunctions{.mask = [=](auto at) {
        return at.query >= at.key && document[at.query] == document[at.key];
      }};
    case Flex::prefix:
      return AttentionFunctions{
          .mask = [=](auto at) { return at.query >= at.key || at.key < prefix; }};
    case Flex::window:
      return AttentionFunctions{
          .mask = [](auto at) { return at.query >= at.key && at.query - at.key < flex_window; }};
    case Flex::full:
      break;
  }
  return AttentionFunctions{};
}

}  // namespace aisp::ch14
