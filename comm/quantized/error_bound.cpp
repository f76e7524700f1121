#include "comm/quantized/error_bound.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/number/format.hpp"
#include "base/parallel.hpp"

namespace aisp::comm {
namespace {

constexpr double u = 0x1p-24, t = 0x1p-150;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <Codes codes>
double half_step(double number, double scale) {
  if (scale == 0) return 0;
  if constexpr (codes == Codes::int8) return scale / 2;
  return scale * base::ulp(base::e4m3, number / scale * (1 + 4 * u)) / 2;
}

// Whatever scale up to `scale` there is.
template <Codes codes>
double half_step_at_most(double number, double scale) {
  if constexpr (codes == Codes::int8) return scale / 2;
  return std::max(number / 16, scale * 0x1p-10);
}

// One block, whose numbers begin at `at` on every rank.
template <Codes codes>
void block_error(std::span<const float* const> inputs, int owner, std::int64_t at,
                 std::span<double> bound) {
  const auto ranks = static_cast<double>(inputs.size());
  std::array<double, block_elements> sum{}, most{}, off{};  // y, A, and the sum of e_r, then E
  for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
    const float* x = inputs[rank] + at;
    float amax = 0;
    bool finite = true;
    for (std::size_t i = 0; i < bound.size(); ++i) {
      finite &= std::isfinite(x[i]);
      amax = std::max(amax, std::abs(x[i]));
    }
    if (!finite) {
      std::fill(bound.begin(), bound.end(), std::numeric_limits<double>::quiet_NaN());
      return;
    }
    const double scale = block_scale<codes>(amax);
    const bool quantised = static_cast<int>(rank) != owner;
    for (std::size_t i = 0; i < bound.size(); ++i) {
      const double size = std::abs(double{x[i]});
      const double error = quantised ? half_step<codes>(size, scale) + 2 * u * size : 0.0;
      sum[i] += x[i];
      most[i] += size + error;
      off[i] += error;
    }
  }
  double largest = 0;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    off[i] += ranks * u * most[i] * (1 + 0x1p-10) + ranks * t;
    largest = std::max(largest, std::abs(sum[i]) + off[i]);
  }
  if (largest >= std::numeric_limits<float>::max()) {
    std::fill(bound.begin(), bound.end(), infinity);
    return;
  }
  const float above =
      std::nextafter(static_cast<float>(largest), std::numeric_limits<float>::max());
  const double scale = block_scale<codes>(above);
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const double size = std::abs(sum[i]) + off[i];
    bound[i] = off[i] + half_step_at_most<codes>(size, scale) + 3 * u * size + t;
  }
}

template <Codes codes>
void all_blocks(std::span<const float* const> inputs, std::span<double> bound) {
  const auto count = static_cast<std::int64_t>(bound.size());
  const std::int64_t each = segment_elements(count, static_cast<int>(inputs.size()));
  base::parallel_ranges(
      blocks_of(count),
      [&](std::int64_t block, std::int64_t last) {
        for (; block < last; ++block) {
          const std::int64_t at = block * block_elements;
          block_error<codes>(
              inputs, static_cast<int>(at / each), at,
              bound.subspan(static_cast<std::size_t>(at),
                            static_cast<std::size_t>(std::min(block_elements, count - at))));
        }
      },
      256);
}

}  // namespace

void quantized_error(Codes codes, std::span<const float* const> inputs, std::span<double> bound) {
  if (inputs.size() == 1)
    std::fill(bound.begin(), bound.end(), 0.0);
  else if (codes == Codes::int8)
    all_blocks<Codes::int8>(inputs, bound);
  else
    all_blocks<Codes::e4m3>(inputs, bound);
}

}  // namespace aisp::comm
