// What is remembered of a block's tensor memory. Instructions touch rectangles of cells, few of
// them at a time, so what is kept are the rectangles: for each the last write and the reads since.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/tensor_use.hpp"
#include "sim/watch/device/clock.hpp"
#include "sim/watch/device/tensor_content.hpp"

namespace aisp::sim::watch {

// The registers of one tcgen05.ld: which lanes have read them, and when the last of those did. An
// instruction that reads one of them waits for the load.
struct LoadRegisters {
  struct Read {
    Mask lanes = 0;
    std::uint32_t time = 0;  // of the warp's lanes
  };
  std::vector<Read> reads;
};
using LoadRegistersPtr = std::shared_ptr<LoadRegisters>;
// What a register holds: values of these registers of loads, as they are in a packed one.
struct LoadHolder {
  LoadRegistersPtr load;
  std::size_t index = 0;
};
using LoadHolders = std::vector<LoadHolder>;

struct TensorRecord {
  TensorCells cells;
  Actor actor = 0;               // Channel::product, tensor_load, tensor_store; lanes: allocation
  std::uint32_t time = 0;        // of that channel
  std::uint32_t issue_time = 0;  // of the warp's lanes
  std::uint32_t pc = 0;
  int lane = 0;  // that issued it; of what a whole warp does 0
  TensorDeed deed{};
  bool wrote = false;
  std::uint64_t form = 0;
  const char* operand = "";
  LoadRegistersPtr registers;  // of a load

  Mask bit() const { return Mask{1} << lane; }
  bool of_tensor_core() const { return channel_of(actor) == Channel::product; }
  bool same_thread(const TensorRecord& other) const {
    return index_of(actor) == index_of(other.actor) && lane == other.lane;
  }
};

const char* name_of(TensorDeed deed);  // of the instruction
bool overlap(const TensorCells& a, const TensorCells& b);
bool holds(const TensorCells& all, const TensorCells& part);
// "columns 0-31, lanes 32-63"
std::string cells_text(const TensorCells& cells);

class TensorShadow {
 public:
  const std::vector<TensorRecord>& records() const { return records_; }
  // After it was compared with what is there: a write takes the place of what it covers, a read
  // that of the same thread's reads before.
  void enter(const TensorRecord& record);
  void forget(TensorRange columns);  // uses of them, when they are allocated or given back
  TensorContent content;
  // Where a pair's tcgen05.alloc, and dealloc, has returned last in this block.
  struct Returned {
    Actor actor = 0;
    std::uint32_t time = 0, pc = 0;
  } allocated, freed;

 private:
  std::vector<TensorRecord> records_;
};

}  // namespace aisp::sim::watch
