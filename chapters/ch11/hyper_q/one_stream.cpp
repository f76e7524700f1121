// Rung 0: all chains on one stream. Every kernel waits for the one before it, whether it needs it
// or not.
#include "chapters/ch11/hyper_q/chains.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

void run(const lab::Launch& launch) {
  const ch11::ChainShape shape(launch.problem.size);
  for (std::int64_t chain = 0; chain < shape.chains; ++chain)
    for (std::int64_t link = 0; link < shape.links; ++link)
      ch11::enqueue_link(launch, chain, link, launch.stream);
}

const lab::RungEntry entry{"ch11:hyper_q",
                           {.name = "one_stream",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one chain after the other on one stream",
                            .look_at = "one block at a time on a chip that holds hundreds",
                            .prepare = lab::plain(run)}};

}  // namespace
