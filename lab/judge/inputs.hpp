// Comparisons bit by bit: of inputs with what was uploaded, which catches a rung that writes into
// them, and of outputs with the baseline's where a target asks for the same bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "lab/case/tensor.hpp"

namespace aisp::lab {

// The line that says which input changed, how many elements and the first of them; nothing when
// every bit is as it was.
std::optional<std::string> changed_input(const HostTensor& before,
                                         std::span<const std::byte> after);

// Likewise, for an output of a rung and that of the baseline.
std::optional<std::string> other_than_baseline(const HostTensor& baseline,
                                               std::span<const std::byte> got);

}  // namespace aisp::lab
