// The ranks of distributed_streams that live in this process: buffers and streams of each, and the
// two orders in which a step of training is enqueued.
#pragma once

#include <string>
#include <vector>

#include "chapters/ch11/distributed_streams/shape.hpp"
#include "comm/communicator.hpp"
#include "comm/cuda.hpp"
#include "lab/case/range.hpp"

namespace aisp::ch11 {

struct RankBuffers {
  const float* weights = nullptr;  // (buckets, elements), the same on all ranks
  const float* samples = nullptr;  // (buckets, samples, 2), the rank's own
  float* shares = nullptr;         // (buckets, elements), what the rank's samples give
  float* gradients = nullptr;      // (buckets, elements), the sum over all ranks
};

class LocalRanks {
 public:
  struct Rank {
    explicit Rank(comm::LocalRank who);
    comm::LocalRank who;
    comm::Stream compute;
    comm::Stream communication;  // served first: others wait for what it sends
    comm::Event computed, compute_end, communication_end;
    RankBuffers buffers{};
    lab::StreamLabel compute_label, communication_label;
  };

  LocalRanks(const TrainingShape& shape, const std::vector<comm::LocalRank>& ranks);

  const TrainingShape& shape() const { return shape_; }
  std::vector<Rank>& all() { return ranks_; }

  // The ranks' streams begin after what `from` has; `into` goes on when they are done. Both are of
  // the device that was current when this was made.
  void fork(cudaStream_t from) const;
  void join(cudaStream_t into) const;

  // A rank's share of a bucket's gradients, on its compute stream.
  void enqueue_share(const Rank& rank, std::int64_t bucket) const;
  // All shares, and no communication: what a step takes at least.
  void enqueue_shares() const;
  // The buckets from this one on as parts of an all-reduce, on one of the ranks' streams.
  std::vector<comm::Part> parts(std::int64_t first_bucket, comm::Stream Rank::*stream) const;

 private:
  TrainingShape shape_;
  std::vector<Rank> ranks_;
  comm::Event begin_;
};

// A step of training on streams that have been forked. Every rank enqueues the same one.
using Schedule = void(LocalRanks& ranks, comm::Communicator& communicator);

Schedule sum_after_backward;   // sum_after_backward.cpp
Schedule sum_during_backward;  // sum_during_backward.cpp

// The schedule by its rung's name, for rank processes; throws where there is none.
Schedule* schedule_called(const std::string& name);

}  // namespace aisp::ch11
