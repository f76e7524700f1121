#include "sim/machine/tensor_memory.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "sim/machine/fault.hpp"

namespace aisp::sim {
namespace {

using base::say;

constexpr std::uint32_t units_of(std::uint32_t columns) { return columns / tensor_column_unit; }

// What was never written is not 0 on a device either: NaN and -1 show that it was read.
constexpr std::uint32_t unwritten = 0xffffffffu;

}  // namespace

TensorMemories::TensorMemories(int multiprocessors, int blocks_per_sm)
    : memories_(static_cast<std::size_t>(multiprocessors)), blocks_per_sm_(blocks_per_sm) {
  for (auto& memory : memories_) memory = std::make_unique<TensorMemory>();
}

int TensorMemories::place(TensorShare& share, int wanted,
                          const std::vector<const TensorShare*>& cluster) {
  const std::lock_guard lock(guard_);
  const auto count = static_cast<int>(memories_.size());
  const auto of_cluster = [&](const TensorMemory* memory) {
    return std::any_of(cluster.begin(), cluster.end(),
                       [&](const TensorShare* other) { return other->memory == memory; });
  };
  int chosen = wanted;
  for (int step = 0; step < count; ++step) {
    const int sm = (wanted + step) % count;
    const TensorMemory* memory = memories_[static_cast<std::size_t>(sm)].get();
    if (memory->blocks_ >= blocks_per_sm_ || of_cluster(memory)) continue;
    chosen = sm;
    break;
  }
  share.memory = memories_[static_cast<std::size_t>(chosen)].get();
  ++share.memory->blocks_;
  return chosen;
}

void TensorMemories::leave(TensorShare& share) {
  const std::lock_guard lock(guard_);
  --share.memory->blocks_;
  share.memory = nullptr;
}

bool TensorMemories::allocate(TensorShare& share, TensorShare* peer, std::uint32_t count,
                              std::uint32_t& first) {
  const std::lock_guard lock(guard_);
  TensorShare* const both[2] = {&share, peer};
  const auto each = [&](auto&& body) {
    for (TensorShare* one : both)
      if (one != nullptr) body(*one);
  };
  const std::uint32_t units = units_of(count);
  for (std::uint32_t at = 0; at + units <= units_of(tensor_columns); ++at) {
    bool is_free = true;
    each([&](TensorShare& one) {
      const bool* taken = one.memory->taken_ + at;
      is_free &= std::none_of(taken, taken + units, [](bool t) { return t; });
    });
    if (!is_free) continue;
    first = at * tensor_column_unit;
    each([&](TensorShare& one) {
      TensorMemory& memory = *one.memory;
      std::fill_n(memory.taken_ + at, units, true);
      constexpr std::size_t cells = std::size_t{tensor_lanes} * tensor_columns;
      if (!memory.cells_) memory.cells_ = std::make_unique_for_overwrite<std::uint32_t[]>(cells);
      for (std::uint32_t lane = 0; lane < tensor_lanes; ++lane)
        std::fill_n(memory.row(lane) + first, count, unwritten);
      one.live.push_back({first, count});
      one.last_count = count;
    });
    return true;
  }
  return false;
}

void TensorMemories::free(TensorShare& share, TensorRange range) {
  const std::lock_guard lock(guard_);
  std::fill_n(share.memory->taken_ + units_of(range.first), units_of(range.count), false);
  std::erase_if(share.live, [&](const TensorRange& live) { return live.first == range.first; });
}

std::string columns_text(const TensorShare& share) {
  std::string text;
  for (const TensorRange& live : share.live)
    text += say(text.empty() ? "" : ", ", live.first, "-", live.first + live.count - 1);
  return text.empty() ? "none" : text;
}

void require_columns(const TensorShare& share, std::uint32_t first, std::uint32_t count,
                     const char* what) {
  for (const TensorRange& live : share.live)
    if (first >= live.first && first + count <= live.first + live.count) return;
  throw Fault{FaultKind::out_of_bounds,
              say(what, " of columns ", first, "-", first + count - 1,
                  " of tensor memory: the block has allocated ", columns_text(share)),
              first, -1, FaultSubject::tensor_columns};
}

}  // namespace aisp::sim
