#include "jit/ir/signature.hpp"

namespace aisp::jit {

std::int64_t width_class(std::int64_t extent) {
  std::int64_t power = 1;
  while (power < extent) power *= 2;
  const std::int64_t between = power / 4 * 3;
  return power >= 512 && extent <= between ? between : power;
}

}  // namespace aisp::jit
