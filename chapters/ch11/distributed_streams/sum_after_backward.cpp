// The whole backward pass, then one all-reduce of everything that it made, in the same streams.
#include "chapters/ch11/distributed_streams/local_ranks.hpp"
#include "chapters/ch11/distributed_streams/rungs.hpp"
#include "lab/case/range.hpp"
#include "lab/case/registry.hpp"

namespace aisp::ch11 {

void sum_after_backward(LocalRanks& ranks, comm::Communicator& communicator) {
  ranks.enqueue_shares();
  const lab::Range range("all-reduce");
  communicator.all_reduce(comm::Dtype::f32, ranks.shape().gradients(),
                          ranks.parts(0, &LocalRanks::Rank::compute));
}

namespace {

const lab::RungEntry entry{
    "ch11:distributed_streams",
    {.name = after_backward_name,
     .step = 0,
     .builds_on = "",
     .idea = "backward over all layers, then one all-reduce of all gradients",
     .look_at = "the multiprocessors' idle time while the gradients go round",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .blocks_host = false,
     .prepare = [](lab::Setup& setup) { return prepare_training(setup, after_backward_name); }}};

}  // namespace
}  // namespace aisp::ch11
