// The tensors of attention, looked at, as the problem that the library's kernels take.
#pragma once

#include <optional>

#include "binding/c/tensor.hpp"

namespace aisp::binding {

struct HeadsOfCall {
  tile::device::AttentionProblem problem{};
  int device = 0;
  bool empty = false;             // there is nothing to compute
  std::vector<Tensor> results{};  // which share no memory with another tensor
};

// Keys to each side that a mask has, unlimited where it has no bound.
struct WindowOfCall {
  int left = 0, right = 0;
};
WindowOfCall window_of_call(const char* what, int mask, int left, int right);

// Of aisp_attention_arguments and of those that begin like them.
template <class Arguments>
HeadsOfCall heads_of_call(const char* what, const Arguments& given);

// A tensor that may be missing, of this type and these extents, without gaps.
std::optional<Tensor> optional_tensor(const char* what, const char* name, const aisp_tensor* given,
                                      tile::Element element,
                                      std::initializer_list<std::int64_t> extents);

}  // namespace aisp::binding
