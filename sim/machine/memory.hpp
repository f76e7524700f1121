// Global memory of the pretended devices. A device address is an address of this process: pinned,
// managed and device memory differ only in what they may be used for, and memory of different
// devices in who may reach it. Every allocation is known, with a gap behind it, so that an access
// outside of any is found.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/allocation.hpp"
#include "sim/machine/device_model.hpp"
#include "sim/machine/heap.hpp"
#include "sim/machine/image.hpp"
#include "sim/machine/multicast.hpp"

namespace aisp::sim {

struct MemoryState;  // sim/machine/memory_state.hpp

class Memory {
 public:
  explicit Memory(std::int64_t capacity_bytes, int devices = 1);  // device memory of each
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Null when the capacity is exhausted. Aligned to at least 512 (device), zero-filled lazily.
  void* allocate(std::uint64_t bytes, MemoryKind kind, std::string name = {},
                 std::uint64_t align = 512) {
    return allocate_on(0, bytes, kind, std::move(name), align);
  }
  void* allocate_on(int device, std::uint64_t bytes, MemoryKind kind, std::string name = {},
                    std::uint64_t align = 512);
  bool release(void* memory);  // false: not the start of a live allocation
  // Frees device memory whose place nobody else gets, and has it again as it was. False: not one.
  bool set_aside(void* memory) { return move_aside(memory, false); }
  bool bring_back(void* memory) { return move_aside(memory, true); }
  // Registers memory that the host owns (cudaHostRegister) and forgets it again.
  bool adopt(void* memory, std::uint64_t bytes, int device = 0);
  bool disown(void* memory);

  // For programs that map physical memory themselves: addresses where nothing lives, given back
  // again; memory of a device that counts without an address; a part of a range that lives from
  // here on, or no more. Nothing is mapped here. `reach`: a bit per device.
  std::uint64_t reserve_range(std::uint64_t bytes, std::uint64_t align);  // 0: no room
  bool release_range(std::uint64_t base);
  bool charge(int device, std::int64_t bytes);  // false: the capacity is exhausted
  void expose(std::uint64_t base, std::uint64_t bytes, int device, std::uint32_t reach,
              bool read_only);
  void conceal(std::uint64_t base);
  // All multicast addresses, from here on.
  void show_multicast(std::shared_ptr<const MulticastTable> table);
  std::shared_ptr<const MulticastTable> multicast() const;

  std::int64_t capacity() const { return capacity_; }
  std::int64_t used(int device = 0) const;  // device memory
  int devices() const { return devices_; }

  // Of malloc and new in kernels: cudaFree does not know it. Null when the heap's limit or the
  // device's memory is exhausted; false: not the start of a piece.
  void* allocate_in_heap(int device, std::uint64_t bytes);
  bool release_from_heap(std::uint64_t address);
  Heap& heap(int device) { return heaps_[device]; }

  // Whether kernels of `device` may touch what cudaMalloc gave on `peer`.
  void let_reach(int device, int peer, bool may);
  bool reaches(int device, int peer) const;
  void put_into_pool(void* memory, std::uint32_t reach);  // again: another reach
  bool reachable(const Allocation& allocation, int device) const;

  std::optional<Allocation> find(std::uint64_t address) const;  // live, containing
  // What a report says about an address nothing lives at: "4 bytes past the end of allocation #3
  // (1024 bytes at 0x...)", "inside allocation #2, freed", "host memory ...".
  std::string describe(std::uint64_t address, std::uint64_t bytes) const;
  bool was_freed(std::uint64_t address) const;
  bool is_host(std::uint64_t address) const;  // mapped in this process, not ours
  // In the address space that allocate() takes from, whether something lives there or not.
  bool is_reserved(std::uint64_t address) const;

  // Live allocations sorted by base. Changes with every allocation; readers keep the pointer.
  using Table = std::vector<Allocation>;
  std::shared_ptr<const Table> table() const;
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  // Textures and surfaces, by the handles that kernels are given.
  ImageObjects& images() { return images_; }
  const ImageObjects& images() const { return images_; }

 private:
  bool move_aside(void* memory, bool back);
  void changed();

  std::unique_ptr<MemoryState> state_;
  std::int64_t capacity_;
  int devices_;
  Heap heaps_[most_devices];
  ImageObjects images_;
  std::atomic<std::uint32_t> peers_[most_devices] = {};  // of each device: a bit per other
  std::atomic<std::uint64_t> generation_{1};
};

// Generic addresses that are not memory of this process. Each window is 4 GiB of reserved address
// space; offsets in them are the 32-bit addresses of the space.
struct Windows {
  static std::uint64_t shared();  // + (cluster rank << 24) + offset
  static std::uint64_t local();   // + offset within the lane's local memory
  static bool in(std::uint64_t window, std::uint64_t address) {
    return address - window < (1ull << 32);
  }
};
inline constexpr int shared_rank_shift = 24;

}  // namespace aisp::sim
