// Catches a rung that writes into its inputs: they are compared bit by bit with what was uploaded.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "lab/case/tensor.hpp"

namespace lab {

// The line that says which input changed, how many elements and the first of them; nothing when
// every bit is as it was.
std::optional<std::string> changed_input(const HostTensor& before,
                                         std::span<const std::byte> after);

}  // namespace lab
