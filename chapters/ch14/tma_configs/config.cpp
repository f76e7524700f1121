#include "chapters/ch14/tma_configs/config.hpp"

#include <algorithm>
#include <functional>

#include "base/refuse.hpp"
#include "tile/arch/limits.hpp"

namespace aisp::ch14 {
namespace {

using base::say;

constexpr int most_stages = 64;
// Of sm_90: what a multiprocessor has, and what each block takes of it beside its own.
constexpr tile::arch::Limits limits = tile::arch::limits_of(90);
constexpr int multiprocessor_bytes = limits.shared_per_sm, reserved_bytes = limits.shared_reserved;
constexpr int most_blocks = 32;
constexpr int barrier_bytes = 8 * most_stages;

std::string wrong_box(const CopyConfig& c) {
  constexpr int widest = 256 * element_bytes;
  if (c.width < 16 || c.width > widest || c.width % 16 != 0)
    return say("a box is a multiple of 16 bytes wide, at most ", widest, ": got ", c.width);
  if (c.rows < 1 || c.rows > 256) return say("a box has 1 to 256 rows: got ", c.rows);
  if (c.swizzle != 16 && c.swizzle != 32 && c.swizzle != 64 && c.swizzle != 128)
    return say("swizzle is 16 (none), 32, 64 or 128 bytes: got ", c.swizzle);
  if (c.swizzle != no_swizzle && c.width != c.swizzle)
    return say("a swizzle of ", c.swizzle, " bytes is for boxes as wide: got ", c.width);
  const int least = c.mode == BoxMode::im2col ? 3 : 1;
  if (c.rank < least || c.rank > 5) return say("rank is ", least, " to 5: got ", c.rank);
  if (c.rank == 1 && c.rows != 1)
    return say("a tensor of one index has boxes of one row: got ", c.rows);
  return "";
}

std::string wrong_ring(const CopyConfig& c) {
  if (c.stages < 1 || c.stages > most_stages)
    return say("a ring has 1 to ", most_stages, " stages: got ", c.stages);
  if (c.blocks < 1 || c.blocks > most_blocks)
    return say("a multiprocessor has 1 to ", most_blocks, " blocks: got ", c.blocks);
  const int each = multiprocessor_bytes / c.blocks - reserved_bytes - barrier_bytes;
  if (c.ring_bytes() > each)
    return say(c.stages, " stages of ", c.slot_bytes(), " bytes are more than the ", each,
               " bytes that each of ", c.blocks, " blocks has; ", each / c.slot_bytes(), " fit");
  return "";
}

std::string wrong_shape(const CopyShape& s) {
  constexpr std::int64_t most = std::int64_t{1} << 34;  // TMA counts 2^32 elements
  if (s.line < 16 || s.line % 16 != 0 || s.line > most)
    return say("a line is a multiple of 16 bytes, at most ", most, ": got ", s.line);
  if (s.lines < 1 || s.lines > most / s.line)
    return say("lines are 1 to ", most / s.line, " of ", s.line, " bytes: got ", s.lines);
  return "";
}

}  // namespace

CopyConfig config_of(const lab::Size& size) {
  const auto at = [&](ConfigAxis axis) {
    // What is too large for any limit above stays too large.
    return static_cast<int>(std::min<std::int64_t>(size.dims.at(axis), 1 << 20));
  };
  return {.mode = size.variant == "im2col" ? BoxMode::im2col : BoxMode::tile,
          .rank = at(map_rank),
          .width = at(box_width),
          .rows = at(box_rows),
          .swizzle = at(box_swizzle),
          .stages = at(ring_stages),
          .blocks = at(sm_blocks)};
}

CopyShape shape_of(const lab::Size& size) {
  const std::int64_t units = size.dims.at(line_extent);
  // More of them than any line has stay too many.
  return {.line = 16 * std::min(units, std::int64_t{1} << 40), .lines = size.dims.at(lines_extent)};
}

std::string why_not(const CopyConfig& config, const CopyShape& shape) {
  std::string why = wrong_box(config);
  if (why.empty()) why = wrong_ring(config);
  if (why.empty()) why = wrong_shape(shape);
  return why;
}

std::vector<std::int64_t> spread(std::int64_t count, int factors) {
  std::vector<std::int64_t> primes, parts(static_cast<std::size_t>(factors), 1);
  for (std::int64_t prime = 2; prime * prime <= count; ++prime)
    for (; count % prime == 0; count /= prime) primes.push_back(prime);
  if (count > 1) primes.push_back(count);
  for (auto prime = primes.rbegin(); prime != primes.rend(); ++prime)
    *std::min_element(parts.begin(), parts.end()) *= *prime;
  std::sort(parts.begin(), parts.end(), std::greater<>());
  return parts;
}

int stages_for(CopyConfig config, int bytes) {
  config.stages = 1;
  const int each = multiprocessor_bytes / std::clamp(config.blocks, 1, most_blocks) -
                   reserved_bytes - barrier_bytes;
  const int slot = std::max(1, config.slot_bytes());
  const int wanted = bytes / std::max(1, config.blocks) / slot;
  return std::max(1, std::min({wanted, each / slot, most_stages}));
}

}  // namespace aisp::ch14
