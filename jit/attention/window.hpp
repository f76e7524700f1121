// Masks that are windows: those the library's kernel has without any function.
#pragma once

#include <optional>

#include "jit/attention/position.hpp"

namespace aisp::jit {

// Query i sees the keys i - left to i + right; nothing there: no bound on that side.
struct MaskWindow {
  std::optional<std::int64_t> left, right;

  bool all() const { return !left && !right; }
};

// The window that the mask of a function is, however it is written: query >= key, key > query - 512
// && key <= query, abs(query - key) < 64.
std::optional<MaskWindow> window_of(const Function& function);

}  // namespace aisp::jit
