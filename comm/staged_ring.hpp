// Ranks that are processes, on one machine or several, with no path between their devices: a ring
// whose copies stop on the host and go on over a Link. For simulated devices and machines without
// NCCL; what it computes is what the peer ring computes, bit for bit.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "comm/communicator.hpp"
#include "comm/cuda.hpp"
#include "comm/process/link.hpp"
#include "comm/segments.hpp"

namespace aisp::comm {

class StagedRing : public Communicator {
 public:
  static constexpr std::int64_t usual_chunk = std::int64_t{4} << 20;

  // One rank, that of the link, on this device. Every rank takes chunks of the same size; refuses
  // (Exit::usage) chunks of no bytes.
  StagedRing(std::shared_ptr<Link> link, int device, std::int64_t chunk_bytes = usual_chunk);
  StagedRing(const StagedRing&) = delete;
  StagedRing& operator=(const StagedRing&) = delete;
  ~StagedRing() override;

  int ranks() const override { return link_->ranks(); }
  const std::vector<LocalRank>& local() const override { return local_; }
  std::string description() const override;

  // A call throws what went wrong on the way since the last one: a rank that is gone is found out
  // when the stream comes to it.
  void all_reduce(Dtype type, std::int64_t count, std::span<const Part> parts) override;
  void reduce_scatter(Dtype type, std::int64_t count, std::span<const Part> parts) override;
  void all_gather(Dtype type, std::int64_t count, std::span<const Part> parts) override;
  void poison(std::span<const cudaStream_t> streams) override;

  // What this rank has sent so far.
  std::int64_t bytes_sent() const;

 private:
  // What the stream has the host do: `out` bytes to the right, `in` bytes from the left.
  struct Hop {
    StagedRing* ring;
    std::size_t out, in;
  };

  const Part& only(std::int64_t count, std::span<const Part> parts);
  void run(const Segments& segments, const Part& part);
  void pass_on(const void* out, std::int64_t out_bytes, void* in, std::int64_t in_bytes,
               cudaStream_t stream);
  void hop(const Hop& what);

  std::shared_ptr<Link> link_;
  std::vector<LocalRank> local_;
  std::int64_t chunk_bytes_;
  Memory slot_;  // the partial sum of a chunk
  char *out_ = nullptr, *in_ = nullptr;
  // By their sizes; the streams hold pointers to them, and so may graphs.
  std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<Hop>> hops_;
  mutable std::mutex mutex_;
  std::string failure_;
  std::int64_t sent_ = 0;
};

}  // namespace aisp::comm
