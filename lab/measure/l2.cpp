#include "lab/measure/l2.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

constexpr std::int64_t rotation_factor = 3;  // total of all sets, in sizes of L2

}  // namespace

std::int64_t flush_bytes(std::int64_t l2_bytes) {
  return std::max<std::int64_t>(2 * l2_bytes, std::int64_t{64} << 20);
}

int buffer_sets(L2Mode mode, std::int64_t problem_bytes, std::int64_t l2_bytes,
                std::int64_t memory_budget) {
  const std::int64_t one = std::max<std::int64_t>(problem_bytes, 1);
  const std::int64_t admitted = memory_budget / one;
  if (admitted < 2)
    base::refuse(
        base::Exit::environment, "two sets of buffers need 2 x ",
        base::with_prefix(static_cast<double>(one), "B"), ", and ",
        base::with_prefix(static_cast<double>(std::max<std::int64_t>(memory_budget, 0)), "B"),
        " of device memory are free; choose a smaller size with --sizes");
  if (mode != L2Mode::rotate) return 2;
  const std::int64_t wanted = (rotation_factor * l2_bytes + one - 1) / one;
  return static_cast<int>(
      std::min(admitted, std::clamp<std::int64_t>(wanted, 2, most_buffer_sets)));
}

bool rotation_evicts(int sets, std::int64_t problem_bytes, std::int64_t l2_bytes) {
  return sets * problem_bytes >= rotation_factor * l2_bytes;
}

double travel_share(L2Mode mode, int sets, double bytes, double written_bytes,
                    std::int64_t l2_bytes) {
  if (!(bytes > 0.0)) return 0.0;
  const auto l2 = static_cast<double>(l2_bytes);
  // A cache is write-back: the last results need not have left it when the kernel ends.
  double stays = std::min({written_bytes, bytes, l2});
  if (mode == L2Mode::hot || (mode == L2Mode::rotate && sets * bytes < rotation_factor * l2))
    stays = std::min(bytes, l2);
  return 1.0 - stays / bytes;
}

}  // namespace aisp::lab
