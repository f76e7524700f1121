// The sum of f32 buffers of several ranks in one process, with codes of one byte on the wire
// (block_codes.hpp): 0.258 of the bytes that f32 needs. What it may be off by: error_bound.hpp.
//
// A buffer is cut into one segment per rank. Every rank quantises each other rank's segment and
// sends it there, straight and once; the owner adds all of them to its own f32 numbers, quantises
// the sum once and sends it to everybody. A ring would send as much and quantise partial sums again
// at every hop. All ranks get the same bits, the owner too.
//
// Segments are cut into chunks. While one is summed, the next is quantised and the one before it is
// on its way back: streams and events alone put the steps in order, so a call can be recorded into
// a graph.
#pragma once

#include <memory>
#include <utility>

#include "comm/communicator.hpp"
#include "comm/peer_copies.hpp"
#include "comm/quantized/block_codes.hpp"

namespace aisp::comm {

struct QuantizedOptions {
  Codes codes = Codes::int8;
  std::int64_t chunk = std::int64_t{1} << 19;  // numbers of a segment, rounded up to a block
  int under_way = 4;  // chunks for which there is room; fewer than 3 follow each other
  // One kernel reads what has arrived, adds, quantises the sum and writes the result. Otherwise
  // each of these is a kernel, and what they hand on is f32. The bits are the same.
  bool fused = true;
};

class QuantizedExchange {
 public:
  // Rank r is on devices[r]. Refuses (Exit::usage) an empty list and chunks of nothing.
  explicit QuantizedExchange(const std::vector<int>& devices, QuantizedOptions options = {});
  ~QuantizedExchange();

  int ranks() const { return copies_.ranks(); }
  const std::vector<LocalRank>& local() const { return copies_.local(); }
  // For a reader: "direct exchange of int8 codes, 4 ranks on 1 device".
  std::string description() const;
  // Its own streams, with names for a trace.
  std::vector<std::pair<cudaStream_t, std::string>> streams() const;

  // receive = the sum of all ranks' send, `count` f32 numbers each. May be in place: receive ==
  // send. Parts and order of calls are as in communicator.hpp. One rank alone has its own numbers.
  void all_reduce(std::int64_t count, std::span<const Part> parts);

  // Bytes that the last call has enqueued between ranks, all of them together.
  std::int64_t sent() const { return copies_.sent(); }
  // As Communicator::poison.
  void poison(std::span<const cudaStream_t> streams);

 private:
  struct Rank;
  struct Call;

  Rank& member(int rank) { return *members_[static_cast<std::size_t>(rank)]; }
  int other(int rank, int i) const { return (rank + 1 + i) % ranks(); }
  int slot(std::int64_t chunk) const { return static_cast<int>(chunk % options_.under_way); }

  void send_shares(const Call& call, std::int64_t chunk, int rank);
  void send_sum(const Call& call, std::int64_t chunk, int rank);
  void enqueue_sum_apart(const Call& call, std::int64_t chunk, int rank);
  void receive_sums(const Call& call, std::int64_t chunk, int rank);

  QuantizedOptions options_;
  std::int64_t stride_;  // bytes of a packet with a whole chunk
  PeerCopies copies_;
  std::vector<std::unique_ptr<Rank>> members_;
};

}  // namespace aisp::comm
