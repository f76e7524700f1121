#include "chapters/ch11/adaptive_streams/load.hpp"

#include <algorithm>
#include <bit>

namespace aisp::ch11 {
namespace {

std::vector<Request> cut(std::int64_t first, std::int64_t rows, std::int64_t at_once, int steps) {
  std::vector<Request> requests;
  for (std::int64_t at = 0; at < rows; at += at_once)
    requests.push_back({first + at, std::min(at_once, rows - at), steps});
  return requests;
}

}  // namespace

std::array<std::vector<Request>, phase_count> phases_of(const LoadSize& size) {
  const std::int64_t bulk = size.rows * 5 / 16, small = size.rows * 3 / 16, deep = small;
  const std::int64_t second = size.rows - bulk - small - deep;
  const std::int64_t small_rows = std::max<std::int64_t>(3, size.rows / 512);  // 2 MiB of 1 GiB
  const auto deep_steps = static_cast<int>(size.deep_steps);
  return {cut(0, bulk, bulk, bulk_steps), cut(bulk, small, small_rows, request_steps),
          cut(bulk + small, deep, (deep + 11) / 12, deep_steps),
          cut(bulk + small + deep, second, second, bulk_steps)};
}

Limits limits_of(const LoadSize& size) {
  constexpr std::int64_t most_rows = 256;
  const auto share = static_cast<std::uint64_t>(std::min(size.rows / 16, most_rows));
  const auto most = static_cast<std::int64_t>(std::bit_floor(share));
  const std::int64_t least = std::max<std::int64_t>(1, most / 64);
  return {.least_chunk = least * row_bytes,
          .most_chunk = most * row_bytes,
          .most_streams = 8,
          .memory = 2 * most * row_bytes};
}

}  // namespace aisp::ch11
