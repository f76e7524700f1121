#include "chapters/ch11/distributed_streams/local_ranks.hpp"

#include <stdexcept>

#include "base/refuse.hpp"
#include "chapters/ch11/distributed_streams/backward.hpp"
#include "chapters/ch11/distributed_streams/rungs.hpp"

namespace aisp::ch11 {

LocalRanks::Rank::Rank(comm::LocalRank given)
    : who(given),
      compute(given.device),
      communication(given.device, comm::Stream::Priority::first),
      computed(given.device),
      compute_end(given.device),
      communication_end(given.device),
      compute_label(compute.get(), base::say("rank ", who.rank, " compute")),
      communication_label(communication.get(), base::say("rank ", who.rank, " communication")) {}

LocalRanks::LocalRanks(const TrainingShape& shape, const std::vector<comm::LocalRank>& ranks)
    : shape_(shape), begin_(comm::current_device()) {
  for (const auto& who : ranks) ranks_.emplace_back(who);
}

void LocalRanks::fork(cudaStream_t from) const {
  begin_.record(from);
  for (const auto& rank : ranks_) {
    begin_.hold(rank.compute.get());
    begin_.hold(rank.communication.get());
  }
}

void LocalRanks::join(cudaStream_t into) const {
  for (const auto& rank : ranks_) {
    rank.compute_end.record(rank.compute.get());
    rank.communication_end.record(rank.communication.get());
    rank.compute_end.hold(into);
    rank.communication_end.hold(into);
  }
}

void LocalRanks::enqueue_share(const Rank& rank, std::int64_t bucket) const {
  const comm::OnDevice on(rank.who.device);
  const std::int64_t at = bucket * shape_.elements;
  enqueue_backward(rank.buffers.shares + at, rank.buffers.weights + at,
                   rank.buffers.samples + 2 * bucket * shape_.samples, shape_.elements,
                   shape_.samples, rank.compute.get());
}

void LocalRanks::enqueue_shares() const {
  const lab::Range range("backward");
  for (std::int64_t bucket = shape_.buckets - 1; bucket >= 0; --bucket)
    for (const auto& rank : ranks_) enqueue_share(rank, bucket);
}

std::vector<comm::Part> LocalRanks::parts(std::int64_t first_bucket,
                                          comm::Stream Rank::*stream) const {
  std::vector<comm::Part> parts;
  for (const auto& rank : ranks_) {
    const std::int64_t at = first_bucket * shape_.elements;
    parts.push_back({rank.buffers.shares + at, rank.buffers.gradients + at, (rank.*stream).get()});
  }
  return parts;
}

Schedule* schedule_called(const std::string& name) {
  if (name == after_backward_name) return sum_after_backward;
  if (name == during_backward_name) return sum_during_backward;
  throw std::runtime_error("distributed_streams has no schedule " + name);
}

}  // namespace aisp::ch11
