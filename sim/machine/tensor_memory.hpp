// Tensor memory: 128 lanes x 512 columns of 32 bits in every multiprocessor, which the blocks that
// run there allocate in columns and share. Two blocks of a cluster whose ranks differ in the last
// bit are a pair: they may allocate together, the same columns in both of their multiprocessors.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace aisp::sim {

struct Warp;

inline constexpr int tensor_lanes = 128, tensor_columns = 512, tensor_column_unit = 32;

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

// Of one multiprocessor. Blocks of several host threads allocate here; the cells of columns that a
// block holds are its own.
class TensorMemory {
 public:
  // Row-major by lane; there from the first allocation on.
  std::uint32_t* row(std::uint32_t lane) { return cells_.get() + lane * tensor_columns; }

 private:
  friend class TensorMemories;
  std::unique_ptr<std::uint32_t[]> cells_;
  bool taken_[tensor_columns / tensor_column_unit] = {};
  int blocks_ = 0;  // that run here
};

// What a block has to do with it.
struct TensorShare {
  TensorMemory* memory = nullptr;
  std::vector<TensorRange> live;
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
  void free(TensorShare& share, TensorRange range);

 private:
  std::mutex guard_;
  std::vector<std::unique_ptr<TensorMemory>> memories_;  // by multiprocessor
  int blocks_per_sm_;
};

// Faults unless the columns lie in one of the block's allocations. `what` begins the message.
void require_columns(const TensorShare& share, std::uint32_t first, std::uint32_t count,
                     const char* what);

// "0-31, 64-127", or "none".
std::string columns_text(const TensorShare& share);

}  // namespace aisp::sim
