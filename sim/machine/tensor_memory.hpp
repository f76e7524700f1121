// Tensor memory: 128 lanes x 512 columns of 32 bits in every multiprocessor, which the blocks that
// run there allocate in columns and share. Two blocks of a cluster whose ranks differ in the last
// bit are a pair: they may allocate together, the same columns in both of their multiprocessors.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace aisp::sim {

struct Warp;

inline constexpr int tensor_lanes = 128, tensor_columns = 512, tensor_column_unit = 32;
// What was never written is not 0 on a device either: NaN and -1 show that it was read.
inline constexpr std::uint32_t unwritten_tensor_cell = 0xffffffffu;

// Lane in bits 16-22, column in bits 0-8: hardware looks at nothing else. Libraries keep the
// position within a word, or the number of a scale, in the other bits.
struct TensorAddress {
  std::uint32_t lane = 0, column = 0;
  static constexpr TensorAddress of(std::uint32_t bits) {
    return {bits >> 16 & 0x7f, bits & 0x1ff};
  }
};

struct TensorRange {
  std::uint32_t first = 0, count = 0;  // columns
};

// Units of 32 columns, a bit for each. Blocks of other host threads may read it.
using TensorUnits = std::atomic<std::uint32_t>;
constexpr std::uint32_t units_of(TensorRange columns) {
  const std::uint32_t first = columns.first / tensor_column_unit;
  const std::uint32_t end =
      (columns.first + columns.count + tensor_column_unit - 1) / tensor_column_unit;
  return static_cast<std::uint32_t>((std::uint64_t{1} << end) - (std::uint64_t{1} << first));
}

// Of one multiprocessor. Blocks of several host threads allocate here; the cells of columns that a
// block holds are its own.
class TensorMemory {
 public:
  // Row-major by lane; there from the first allocation on.
  std::uint32_t* row(std::uint32_t lane) { return cells_.get() + lane * tensor_columns; }
  bool is_taken(std::uint32_t units) const {
    return (taken_.load(std::memory_order_relaxed) & units) != 0;
  }

 private:
  friend class TensorMemories;
  std::unique_ptr<std::uint32_t[]> cells_;
  TensorUnits taken_;  // changed under the lock of TensorMemories
  int blocks_ = 0;     // that run here
};

// What a block has to do with it.
struct TensorShare {
  TensorMemory* memory = nullptr;
  std::vector<TensorRange> live;
  std::uint32_t held = 0;                     // units that the block has, or has had
  std::uint32_t last_count = tensor_columns;  // of the allocation before: later ones do not grow
  bool relinquished = false;
};

// Blocks of a pair that meet for an allocation, or to give one back.
struct TensorMeeting {
  enum class What : std::uint8_t { none, allocate, free } what[2] = {};
  const Warp* warp[2] = {};
  TensorRange range[2];
  bool answered[2] = {};  // the peer has done it for both: range says what
};

// Of a grid.
class TensorMemories {
 public:
  TensorMemories(int multiprocessors, int blocks_per_sm);

  // Gives a block a multiprocessor: the wanted one, or the next that has room and is none of those
  // that other blocks of its cluster have. Returns which.
  int place(TensorShare& share, int wanted, const std::vector<const TensorShare*>& cluster);
  void leave(TensorShare& share);

  // First fit from column 0 for one block, or for both of a pair. False: not yet.
  bool allocate(TensorShare& share, TensorShare* peer, std::uint32_t count, std::uint32_t& first);
  // Of columns that are not live: does nothing.
  void free(TensorShare& share, TensorRange range);

 private:
  std::mutex guard_;
  std::vector<std::unique_ptr<TensorMemory>> memories_;  // by multiprocessor
  int blocks_per_sm_;
};

// Of the units that the block has allocated.
std::uint32_t live_units(const TensorShare& share);
// The block has allocated all of these columns, and has not given them back.
bool is_live(const TensorShare& share, TensorRange columns);
// It has given some of them back, and no other block has them: an access is against the rules, and
// hardware performs it.
bool is_left_over(const TensorShare& share, TensorRange columns);
inline bool is_usable(const TensorShare& share, TensorRange columns) {
  return is_live(share, columns) || is_left_over(share, columns);
}
// Faults unless they are usable. `what` begins the message.
void require_columns(const TensorShare& share, std::uint32_t first, std::uint32_t count,
                     const char* what);

// "0-31, 64-127", or "none".
std::string columns_text(const TensorShare& share);

}  // namespace aisp::sim
