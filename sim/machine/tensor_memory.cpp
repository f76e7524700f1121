#include "sim/machine/tensor_memory.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "sim/machine/fault.hpp"

namespace aisp::sim {
namespace {

using base::say;

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
  for (std::uint32_t at = 0; at + count <= tensor_columns; at += tensor_column_unit) {
    const std::uint32_t units = units_of({at, count});
    bool is_free = true;
    each([&](TensorShare& one) { is_free &= !one.memory->is_taken(units); });
    if (!is_free) continue;
    first = at;
    each([&](TensorShare& one) {
      TensorMemory& memory = *one.memory;
      memory.taken_ |= units;
      one.held |= units;
      constexpr std::size_t cells = std::size_t{tensor_lanes} * tensor_columns;
      if (!memory.cells_) memory.cells_ = std::make_unique_for_overwrite<std::uint32_t[]>(cells);
      for (std::uint32_t lane = 0; lane < tensor_lanes; ++lane)
        std::fill_n(memory.row(lane) + first, count, unwritten_tensor_cell);
      one.live.push_back({first, count});
      one.last_count = count;
    });
    return true;
  }
  return false;
}

void TensorMemories::free(TensorShare& share, TensorRange range) {
  const std::lock_guard lock(guard_);
  const auto erased =
      std::erase_if(share.live, [&](const TensorRange& live) { return live.first == range.first; });
  if (erased != 0) share.memory->taken_ &= ~units_of(range);
}

std::string columns_text(const TensorShare& share) {
  std::string text;
  for (const TensorRange& live : share.live)
    text += say(text.empty() ? "" : ", ", live.first, "-", live.first + live.count - 1);
  return text.empty() ? "none" : text;
}

std::uint32_t live_units(const TensorShare& share) {
  std::uint32_t units = 0;
  for (const TensorRange& live : share.live) units |= units_of(live);
  return units;
}

bool is_live(const TensorShare& share, TensorRange columns) {
  return columns.first + columns.count <= tensor_columns &&
         (units_of(columns) & ~live_units(share)) == 0;
}

bool is_left_over(const TensorShare& share, TensorRange columns) {
  if (columns.first + columns.count > tensor_columns || share.memory == nullptr) return false;
  const std::uint32_t units = units_of(columns), given_back = units & ~live_units(share);
  return given_back != 0 && (units & ~share.held) == 0 && !share.memory->is_taken(given_back);
}

void require_columns(const TensorShare& share, std::uint32_t first, std::uint32_t count,
                     const char* what) {
  if (is_usable(share, {first, count})) return;
  throw Fault{FaultKind::out_of_bounds,
              say(what, " of columns ", first, "-", first + count - 1,
                  " of tensor memory: the block has allocated ", columns_text(share)),
              first, -1, FaultSubject::tensor_columns};
}

}  // namespace aisp::sim
