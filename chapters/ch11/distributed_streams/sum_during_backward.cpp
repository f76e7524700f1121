// A bucket's all-reduce begins as soon as all ranks have their share of it, in streams of its own:
// the next layers' backward pass goes on beside it.
#include "chapters/ch11/distributed_streams/local_ranks.hpp"
#include "chapters/ch11/distributed_streams/rungs.hpp"
#include "lab/case/range.hpp"
#include "lab/case/registry.hpp"

namespace aisp::ch11 {

void sum_during_backward(LocalRanks& ranks, comm::Communicator& communicator) {
  for (std::int64_t bucket = ranks.shape().buckets - 1; bucket >= 0; --bucket) {
    const std::string number = std::to_string(bucket);
    {
      const lab::Range range("backward " + number);
      for (const auto& rank : ranks.all()) {
        ranks.enqueue_share(rank, bucket);
        rank.computed.record(rank.compute.get());
        rank.computed.hold(rank.communication.get());
      }
    }
    const lab::Range range("all-reduce " + number);
    communicator.all_reduce(comm::Dtype::f32, ranks.shape().elements,
                            ranks.parts(bucket, &LocalRanks::Rank::communication));
  }
}

namespace {

const lab::RungEntry entry{
    "ch11:distributed_streams",
    {.name = during_backward_name,
     .step = 1,
     .builds_on = after_backward_name,
     .idea = "each bucket's all-reduce in a stream of its own, beside the next buckets' backward",
     .look_at = "the exposed communication; in a trace, copies and sums under the backward kernels",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .blocks_host = false,
     .prepare = [](lab::Setup& setup) { return prepare_training(setup, during_backward_name); }}};

}  // namespace
}  // namespace aisp::ch11
