// Contractions with a mode of no elements. Where D has it, there is nothing to compute; where it is
// one of the sum, D is zeros.
#pragma once

#include <algorithm>
#include <utility>

#include "tile/device/contract/fold.hpp"
#include "tile/device/launch/launch_choice.hpp"
#include "tile/device/launch/tensor_map.hpp"

namespace aisp::tile::device {

inline bool has_empty_mode(const ContractionTensor& tensor) {
  return std::find(tensor.extents.begin(), tensor.extents.end(), 0) != tensor.extents.end();
}
inline bool has_empty_mode(const ContractionProblem& problem) {
  return has_empty_mode(problem.a) || has_empty_mode(problem.b) || has_empty_mode(problem.d);
}

namespace detail {

// `modes` from `at` on, the longest strides first; all but the last two are walked through here.
inline void enqueue_zeros(const std::vector<std::pair<std::int64_t, std::int64_t>>& modes,
                          std::size_t at, char* to, std::size_t width, cudaStream_t stream) {
  if (at == modes.size()) {
    check_cuda(cudaMemsetAsync(to, 0, width, stream), "zeros of a contraction");
  } else if (at + 1 == modes.size()) {
    const auto [stride, extent] = modes[at];
    check_cuda(cudaMemset2DAsync(to, static_cast<std::size_t>(stride), 0, width,
                                 static_cast<std::size_t>(extent), stream),
               "zeros of a contraction");
  } else {
    for (std::int64_t i = 0; i < modes[at].second; ++i)
      enqueue_zeros(modes, at + 1, to + i * modes[at].first, width, stream);
  }
}

}  // namespace detail

// The problem has an empty mode. An empty function where there is nothing to do.
inline PlannedRun plan_empty_modes(const ContractionProblem& problem) {
  detail::refuse_overlaps(detail::modes_of(problem));
  const ContractionTensor& d = problem.d;
  if (has_empty_mode(d)) return {};
  if (d.data == nullptr) detail::refuse_contraction("D has no data");
  const auto strides = d.strides.empty() ? dense_strides(d.extents) : d.strides;
  std::vector<std::pair<std::int64_t, std::int64_t>> modes;  // bytes from one to the next, how many
  for (std::size_t i = 0; i < strides.size(); ++i)
    if (d.extents[i] > 1) modes.emplace_back(strides[i] * bytes_of(d.element), d.extents[i]);
  std::sort(modes.rbegin(), modes.rend());
  std::int64_t width = bytes_of(d.element);  // of what lies together
  for (; !modes.empty() && modes.back().first == width; modes.pop_back())
    width *= modes.back().second;
  return [modes, width, to = static_cast<char*>(const_cast<void*>(d.data))](cudaStream_t stream) {
    detail::enqueue_zeros(modes, 0, to, static_cast<std::size_t>(width), stream);
  };
}

}  // namespace aisp::tile::device
