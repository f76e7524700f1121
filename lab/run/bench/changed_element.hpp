// One input element that changes between a rung's samples and the check behind them. A rung that
// remembers results for inputs it believes to know gives the old ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lab/case/case.hpp"

namespace aisp::lab {

struct ChangedElement {
  int input = 0;
  std::int64_t element = 0;
  std::vector<std::byte> before, after;
};

// Draws an element that has more than one value, and gives it another one in `inputs`: of a few
// draws from its tensor's range the one that is farthest off. Nothing where no input has such an
// element.
std::optional<ChangedElement> change_one_element(Inputs& inputs, std::uint64_t seed);

}  // namespace aisp::lab
