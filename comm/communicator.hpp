// Sums and exchanges between ranks. A rank is one share of a job with a device of its own, or a
// part of one; a process holds one rank or several. All calls enqueue work and return.
//
//   comm::PeerRing ring(comm::spread_over_devices(4));           four ranks in this process
//   ring.all_reduce(comm::Dtype::f32, count, parts);             one part per rank held here
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace aisp::comm {

enum class Dtype { f32, bf16 };

constexpr std::int64_t bytes_of(Dtype type) { return type == Dtype::f32 ? 4 : 2; }

// A rank that lives in this process.
struct LocalRank {
  int rank = 0;
  int device = 0;
};

// What a rank brings to a call. Its work begins after what the stream has, and the stream goes on
// when the rank's result is there and its buffers may be used again.
struct Part {
  const void* send = nullptr;
  void* receive = nullptr;
  cudaStream_t stream = nullptr;
};

// Every rank makes the same calls in the same order. `parts` has one entry for each of local(), in
// that order; calls on one communicator must be ordered by their streams. Errors are thrown, one
// line each.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int ranks() const = 0;
  virtual const std::vector<LocalRank>& local() const = 0;
  // For a reader: "peer ring, 4 ranks on 1 device".
  virtual std::string description() const = 0;

  // receive = the sum of all ranks' send, `count` elements each. May be in place: receive == send.
  virtual void all_reduce(Dtype type, std::int64_t count, std::span<const Part> parts) = 0;
  // send has ranks() * count elements; rank r receives the sum of everybody's elements
  // [r * count, (r + 1) * count). In place: receive == send + r * count.
  virtual void reduce_scatter(Dtype type, std::int64_t count, std::span<const Part> parts) = 0;
  // Rank r's `count` elements become [r * count, (r + 1) * count) of everybody's receive. In place:
  // send == receive + r * count.
  virtual void all_gather(Dtype type, std::int64_t count, std::span<const Part> parts) = 0;

  // Fills with 0xff what one step of a call writes for a later one, in the order of the streams,
  // one for each of local(): a step that does not wait for another then finds no value of an
  // earlier call. For tests of results; of memory that a library keeps to itself nothing is known.
  virtual void poison(std::span<const cudaStream_t> /*streams*/) {}
};

// What all ranks together must send for a sum of `bytes` on every rank where no switch adds on the
// way: each sends 2 (ranks - 1) / ranks of it.
constexpr std::int64_t all_reduce_traffic(int ranks, std::int64_t bytes) {
  return 2 * (ranks - 1) * bytes;
}

}  // namespace aisp::comm
