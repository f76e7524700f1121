// Finds the host in memory that an asynchronous operation still reads or writes. Nobody sees the
// host's loads and stores, so pages of such memory are protected until the host has waited for the
// operation: what it writes cannot be touched, what it reads cannot be written. The fault is noted,
// the page opened, and the program goes on.
//
// Only pages of which the operation has all that belongs to the allocation are protected: a system
// call (read, write) on protected memory fails with EFAULT instead of being noted, and on bytes
// that are the program's own at that moment it must not. Allocations of a few words, which hold
// results and counters and are not what files are read into, are protected for any part of them.
//
// Threads of the simulator may touch everything, host functions in streams what their stream has
// waited for.
//
// Several threads may fault at once, and what they fault on may have been opened, ended or guarded
// anew before they reach the handler. A fault that no guard explains goes on if its page permits
// the access by then; it is the program's own otherwise, and goes where it would have gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/machine/memory.hpp"

namespace aisp::sim::watch {

struct HostTouch {
  std::uint64_t operation = 0;  // number of the one under way
  std::uint64_t address = 0, instruction = 0;
  bool writes = false;
  bool in_function = false;  // by a host function in a stream
};

// What a guard is for.
struct GuardUse {
  std::uint64_t operation = 0;  // its number
  bool forbidden = false;       // reading as well as writing
  bool for_function = false;    // the host knows that the operation is over, a host function not
};

class PageGuards {
 public:
  static PageGuards& get();  // one for the process, as its signal handler is

  // `allocation` holds the range; `whole_pages`: its pages are its own. `behind`: operations that
  // come before this one, whose guards of the same pages it takes over.
  void add(const GuardUse& use, std::uint64_t begin, std::uint64_t end,
           const Allocation& allocation, bool whole_pages,
           const std::function<bool(std::uint64_t operation)>& behind);
  void remove(const std::function<bool(std::uint64_t operation)>& over);
  // A copy by the simulator that leaves guarded pages as they are, so that the host is found while
  // it runs as well.
  void copy(void* to, const void* from, std::size_t bytes);
  void fill(void* to, std::uint32_t value, std::size_t element, std::size_t count);  // likewise
  // The calling thread of the simulator is about to run a host function, and has run it. `ordered`:
  // operations whose memory it may touch. What others have opened meanwhile close() protects again.
  void enter_function(const std::function<bool(std::uint64_t operation)>& ordered);
  void leave_function();
  // The host has learned of the operation's end while a function runs that has not.
  void keep_for_function(std::uint64_t operation);
  void close();  // protects again what threads of the simulator have opened by touching it
  bool idle() const;
  std::vector<HostTouch> take();  // what was noted since the last call

  // The calling thread, and all that it starts, belong to the simulator.
  static void mark_simulator_thread();
  // In a forked child, where no copy will ever end.
  void forget();

 private:
  PageGuards() = default;
  bool guards(const void* memory, std::size_t bytes) const;  // any part of it
};

}  // namespace aisp::sim::watch
