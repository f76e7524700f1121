// NVSHMEM, loaded at first use. Its ranks are processing elements (PEs): processes, each with a
// device, that share one symmetric heap. Kernels of all PEs of a machine reach all of it with plain
// loads and stores, so that comm/one_sided.cuh works on it; besides, the library puts and signals
// in the order of a stream. Its headers are not part of every toolkit, so what is needed of them is
// declared here. Where the library is missing or says no, the reason is one line.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/shared_library.hpp"
#include "comm/symmetric.hpp"

namespace aisp::comm {

// The library's own types, as its interface lays them out. Each begins with the number of its
// version, here the first, which every 3.x takes, and its size.
struct NvshmemId {
  int version = (1 << 16) + 128;
  std::array<char, 124> bytes{};
};
static_assert(sizeof(NvshmemId) == 128);

struct NvshmemAttributes {
  struct Member {
    int version = (1 << 16) + 24;
    const NvshmemId* id = nullptr;
    int pe = -1, pes = -1;
  };
  struct Arguments {
    int version = (1 << 16) + 128;
    Member member{};
    std::array<char, 96> reserved{};
  };
  int version = (1 << 16) + 144;
  void* mpi_communicator = nullptr;
  Arguments arguments{};
};
static_assert(sizeof(NvshmemAttributes::Member) == 24);
static_assert(sizeof(NvshmemAttributes::Arguments) == 128 && sizeof(NvshmemAttributes) == 144);

// The calls that are used. Of those that return a number 0 is the success.
struct NvshmemCalls {
  void (*get_name)(char* name) = nullptr;  // with its version, in 256 bytes
  int (*get_unique_id)(NvshmemId* id) = nullptr;
  int (*set_unique_id)(int pe, int pes, const NvshmemId* id, NvshmemAttributes* to) = nullptr;
  int (*init)(unsigned flags, NvshmemAttributes* attributes) = nullptr;
  int (*init_status)() = nullptr;
  void (*finalize)() = nullptr;
  void* (*allocate)(std::size_t bytes) = nullptr;  // by all PEs at once, as is free
  void (*free)(void* memory) = nullptr;
  void* (*address)(const void* memory, int pe) = nullptr;  // null: out of reach
  void (*barrier)(cudaStream_t stream) = nullptr;
  void (*put_signal)(void* to, const void* from, std::size_t bytes, std::uint64_t* flag,
                     std::uint64_t value, int operation, int pe, cudaStream_t stream) = nullptr;
  void (*wait_signal)(std::uint64_t* flag, int comparison, std::uint64_t value,
                      cudaStream_t stream) = nullptr;
};

// Where it is looked for: what $AISP_NVSHMEM_LIBRARY names, else libnvshmem_host.so.3 where the
// loader finds it, else in the wheels beside the Python of $AISP_PYTHON or the path.
std::vector<std::string> nvshmem_places();

// Both refuse (Exit::environment): with the loader's words, and with the name of a call that is
// missing. What find_nvshmem() opens may be closed again after a look.
base::SharedLibrary find_nvshmem(const std::vector<std::string>& places = nvshmem_places());
NvshmemCalls calls_of_nvshmem(const base::SharedLibrary& library);
inline NvshmemCalls load_nvshmem() { return calls_of_nvshmem(find_nvshmem()); }

std::string name_of(const NvshmemCalls& calls);  // "NVSHMEM v3.4.5"

// The name under which the PEs find each other: made by one of them, given to all.
NvshmemId make_nvshmem_id(const NvshmemCalls& calls);

// This process as a PE: once, as the library takes no other job in the same process later.
class Nvshmem {
 public:
  // Waits for all PEs; the current device is the one of this PE from now on. Refuses
  // (Exit::environment) where they do not come up.
  Nvshmem(const NvshmemCalls& calls, const NvshmemId& id, int pe, int pes);
  Nvshmem(const Nvshmem&) = delete;
  Nvshmem& operator=(const Nvshmem&) = delete;
  // All PEs must come to the end of theirs, and of their memory, unless this one has given the
  // others up.
  ~Nvshmem();
  void give_up() { given_up_ = true; }
  bool given_up() const { return given_up_; }

  int pe() const { return pe_; }
  int pes() const { return pes_; }
  // Several PEs take turns on a GPU, because MPS does not run or gives them more than all of it:
  // the library then waits for other PEs on the host alone.
  bool takes_turns() const { return takes_turns_; }
  const NvshmemCalls& calls() const { return calls_; }
  // "NVSHMEM v3.4.5, 2 PEs".
  std::string description() const;

  // All PEs meet in the order of their streams. Waits on the host where they take turns.
  void barrier(cudaStream_t stream) const { calls_.barrier(stream); }

 private:
  NvshmemCalls calls_;
  int pe_, pes_;
  bool given_up_ = false, takes_turns_ = false;
};

// Memory of the symmetric heap for ranks that are shared out among the PEs: rank r is one of PE r
// modulo their number. Made, and ended, by all PEs at once.
class NvshmemMemory {
 public:
  // `bytes` for each rank. Refuses (Exit::environment) a heap that is too small, and PEs whose
  // memory kernels do not reach.
  NvshmemMemory(std::shared_ptr<Nvshmem> library, int ranks, std::size_t bytes);
  NvshmemMemory(const NvshmemMemory&) = delete;
  NvshmemMemory& operator=(const NvshmemMemory&) = delete;
  ~NvshmemMemory();

  // What rank r has at an offset of its part, as this PE's kernels and copies reach it.
  std::vector<char*> parts() const { return parts_; }

  // Behind what the stream has: copies into a rank's part, then sets a flag there.
  void put_signal(int to_rank, void* to, const void* from, std::size_t bytes, std::uint64_t* flag,
                  std::uint64_t value, cudaStream_t stream) const;
  // The stream goes on when the flag, of a rank of this PE, has the value or a larger one. Not
  // where PEs take turns.
  void wait_until(int rank, std::uint64_t* flag, std::uint64_t value, cudaStream_t stream) const;

 private:
  // An address in a rank's part as the library wants it: the same on all PEs.
  template <class T>
  T* symmetric(int rank, T* address) const;

  std::shared_ptr<Nvshmem> library_;
  std::size_t part_bytes_;
  char* memory_ = nullptr;
  std::vector<char*> parts_;
};

}  // namespace aisp::comm
