// What the rungs of one_sided_exchange differ in, and what a workload does for all of them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "comm/cuda.hpp"
#include "comm/nvshmem.hpp"
#include "comm/symmetric.hpp"
#include "lab/case/range.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch14 {

enum class Way {
  staged,     // a kernel, copies to the other ranks, an event, the next kernel
  put,        // the kernel writes into the other ranks' memory; an event, the next kernel
  one_sided,  // the kernel writes, signals, goes on and waits for what it needs itself
  on_stream,  // a kernel, NVSHMEM's put with signal, its wait, the next kernel
};

// The ranks of a job as this process sees them: a stream and an event each.
class Ranks {
 public:
  // All in this process, rank r on device r modulo the number of devices.
  explicit Ranks(int count);
  // Shared out among the PEs of NVSHMEM, rank r with PE r modulo their number: all streams are of
  // this PE's device. `allocates` is called before the memory is made, which takes all PEs.
  Ranks(int count, std::shared_ptr<comm::Nvshmem> library, std::function<void()> allocates);

  int count() const { return static_cast<int>(devices_.size()); }
  // Whether this process runs the rank's kernels.
  bool here(int rank) const { return !library_ || rank % library_->pes() == library_->pe(); }
  // Of the ranks whose kernels have to be on this process's devices at the same time.
  const std::vector<int>& devices_together() const { return together_; }
  // That kernels of all ranks reach; once.
  comm::SymmetricMemory make_memory(std::size_t bytes);
  const comm::NvshmemMemory& heap() const { return *heap_; }
  int device(int rank) const { return devices_[static_cast<std::size_t>(rank)]; }
  cudaStream_t stream(int rank) const { return streams_[static_cast<std::size_t>(rank)].get(); }

  // The ranks' streams begin after what `from` has; `into` goes on when they are done.
  void fork(cudaStream_t from) const;
  void join(cudaStream_t into) const;
  // Who waits for `done` of a rank comes after what its stream has now.
  void record(int rank) const { done_[static_cast<std::size_t>(rank)].record(stream(rank)); }
  void wait_for(int rank, int other) const {
    done_[static_cast<std::size_t>(other)].hold(stream(rank));
  }
  // From a rank's memory to another's, behind what the sender's stream has.
  void copy(int from_rank, const void* from, int to_rank, void* to, std::size_t bytes) const;

 private:
  Ranks(std::vector<int> devices, std::vector<int> together);

  std::shared_ptr<comm::Nvshmem> library_;  // null: all in this process
  std::function<void()> allocates_;
  std::shared_ptr<comm::NvshmemMemory> heap_;
  std::vector<int> devices_, together_;
  int home_;
  comm::Event begin_;
  std::vector<comm::Stream> streams_;
  std::vector<comm::Event> done_;
  std::vector<lab::StreamLabel> labels_;
};

// One of the two workloads, prepared for one way. All but run() is outside of the time.
class Workload {
 public:
  virtual ~Workload() = default;
  virtual void before(const lab::Launch& launch) = 0;  // hands the inputs out, clears the flags
  virtual void run(cudaStream_t stream) = 0;
  virtual void poison(const lab::Launch& launch) = 0;
  virtual void collect(const lab::Launch& launch) = 0;
  virtual double bytes_moved() const = 0;  // between ranks, in a run
  virtual std::string description() const = 0;
};

std::unique_ptr<Workload> make_halo(const lab::Size& size, Way way, Ranks ranks);     // halo.cpp
std::unique_ptr<Workload> make_product(const lab::Size& size, Way way, Ranks ranks);  // product.cpp
std::unique_ptr<Workload> make_workload(const lab::Size& size, Way way, Ranks ranks);

// A rung's `prepare` where all ranks are in this process.
lab::Run prepare(lab::Setup& setup, Way way);
// What every rung tells the lab of its workload.
lab::Run enter(lab::Setup& setup, const std::shared_ptr<Workload>& work);

}  // namespace aisp::ch14
