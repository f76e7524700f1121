// Finds the host in memory that an asynchronous copy still reads or writes. Nobody sees the host's
// loads and stores, so pages of such memory are protected until the host has waited for the copy:
// what a copy writes cannot be touched, what it reads cannot be written. The fault is noted, the
// page opened, and the program goes on.
//
// Only pages of which the copy has all that belongs to the allocation are protected: a system call
// (read, write) on protected memory fails with EFAULT instead of being noted, and on bytes that are
// the program's own at that moment it must not.
//
// Threads of the simulator, and host functions in streams, may touch everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/machine/memory.hpp"

namespace aisp::sim::watch {

struct HostTouch {
  std::uint64_t operation = 0;  // number of the copy
  std::uint64_t address = 0, instruction = 0;
  bool writes = false;
};

class PageGuards {
 public:
  static PageGuards& get();  // one for the process, as its signal handler is

  // `forbidden`: reading as well as writing. `allocation` holds the range; `whole_pages`: its pages
  // are its own.
  void add(std::uint64_t operation, std::uint64_t begin, std::uint64_t end, bool forbidden,
           const Allocation& allocation, bool whole_pages);
  void remove(const std::function<bool(std::uint64_t operation)>& over);
  // A copy by the simulator that leaves guarded pages as they are, so that the host is found while
  // it runs as well.
  void copy(void* to, const void* from, std::size_t bytes);
  void close();  // protects again what threads of the simulator have opened by touching it
  bool idle() const;
  std::vector<HostTouch> take();  // what was noted since the last call

  // The calling thread, and all that it starts, belong to the simulator.
  static void mark_simulator_thread();
  // In a forked child, where no copy will ever end.
  void forget();

 private:
  PageGuards() = default;
};

}  // namespace aisp::sim::watch
