// Who touched which memory, as far as an operation that is still to come may be unordered with it.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "sim/machine/memory.hpp"
#include "sim/watch/stream_operation.hpp"

namespace aisp::sim::watch {

// Two operations that touch the same memory and should not, or not in no order.
struct Conflict {
  enum class Why : std::uint8_t {
    unordered,
    freed,  // `later` comes after the release `earlier`
    early,  // `later` is a programmatic launch and need not have waited for `earlier` yet
    ended,  // ... but cannot have begun before all blocks of `earlier` had ended
  };
  Why why{};
  StreamOperationPtr earlier, later;  // as they ran
  bool earlier_writes = false, later_writes = false;
  std::uint32_t earlier_pc = 0, later_pc = 0;
  std::uint64_t begin = 0, end = 0;  // of the first piece of memory
  std::uint64_t bytes = 0;           // of all pieces
};

class BesideGrids;

class StreamShadow {
 public:
  // An operation that has just run: what it conflicts with, at most one conflict for each other
  // operation and reason. Operations come in an order that respects theirs.
  // `beside`: the kernels that order themselves by flags.
  std::vector<Conflict> touch(const StreamOperationPtr& operation, const Memory::Table& table,
                              BesideGrids& beside);
  void clear() { spaces_.clear(); }

 private:
  struct Touch {
    StreamOperationPtr operation;
    std::uint32_t pc = 0;
    bool writes = false;
    std::uint8_t how = how_weak;
  };
  struct Segment {
    std::uint64_t end = 0;
    std::vector<Touch> touches;
  };
  using Segments = std::map<std::uint64_t, Segment>;  // by begin; without overlaps
  struct Visit {
    StreamOperationPtr operation;
    bool writes = false, early = false;
    std::vector<Conflict>* conflicts = nullptr;
    BesideGrids* beside = nullptr;
  };

  Segments& space_of(const Memory::Table& table, std::uint64_t address);
  static Segments::iterator cut(Segments& segments, std::uint64_t at);
  static void look(const Segments& segments, const TouchedRange& range, const Visit& visit);
  static void enter(Segments& segments, const TouchedRange& range, const Visit& visit);
  static void judge(const Touch& touch, const TouchedRange& at, const Visit& visit);

  // By the number of the allocation: memory handed out again is another. 0: pageable memory.
  std::unordered_map<std::uint64_t, Segments> spaces_;
};

}  // namespace aisp::sim::watch
