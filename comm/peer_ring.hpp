// Several ranks in one process, on one device or many. Each rank hands partial sums to the next one
// round the ring, by copies between devices and a kernel that adds; then the finished segments go
// round once more. Nothing waits on the host: streams and events alone put the steps in order, so a
// call can be recorded into a graph.
//
// A buffer is cut into one segment per rank, a segment into chunks: while a chunk is added, the
// next is on its way.
#pragma once

#include <memory>
#include <utility>

#include "comm/communicator.hpp"
#include "comm/peer_copies.hpp"

namespace aisp::comm {

struct PeerRingOptions {
  std::int64_t chunk_bytes = std::int64_t{4} << 20;  // rounded up to 16
};

// Devices for `ranks` ranks: rank r on device r % (number of devices). Refuses (Exit::environment)
// where there is none.
std::vector<int> spread_over_devices(int ranks);

class PeerRing : public Communicator {
 public:
  // Rank r is on devices[r]. Refuses (Exit::usage) an empty list and chunks of no bytes.
  explicit PeerRing(const std::vector<int>& devices, PeerRingOptions options = {});
  ~PeerRing() override;

  int ranks() const override { return copies_.ranks(); }
  const std::vector<LocalRank>& local() const override { return copies_.local(); }
  std::string description() const override;

  // Bytes that the last call has enqueued between ranks, all of them together.
  std::int64_t sent() const { return copies_.sent(); }

  // Its own streams, with names for a trace: "rank 0 sends shares".
  std::vector<std::pair<cudaStream_t, std::string>> streams() const;

  void all_reduce(Dtype type, std::int64_t count, std::span<const Part> parts) override;
  void reduce_scatter(Dtype type, std::int64_t count, std::span<const Part> parts) override;
  void all_gather(Dtype type, std::int64_t count, std::span<const Part> parts) override;
  void poison(std::span<const cudaStream_t> streams) override;

 private:
  struct Rank;
  struct Exchange;

  int right_of(int rank) const { return (rank + 1) % ranks(); }
  int wrapped(int rank) const { return (rank % ranks() + ranks()) % ranks(); }

  void require_parts(std::int64_t count, std::span<const Part> parts) const;
  void run(const Exchange& exchange);
  void begin(const Exchange& exchange);
  void scatter_lap(const Exchange& exchange, std::int64_t first_chunk, std::int64_t last_chunk);
  void scatter_step(const Exchange& exchange, int step, std::int64_t chunk, int from);
  void gather_lap(const Exchange& exchange, std::int64_t first_chunk, std::int64_t last_chunk);
  void gather_step(const Exchange& exchange, int step, std::int64_t chunk, int from);
  void end(const Exchange& exchange);

  std::int64_t chunk_bytes_;
  PeerCopies copies_;
  std::vector<std::unique_ptr<Rank>> members_;
};

}  // namespace aisp::comm
