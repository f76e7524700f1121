// Rung 2: the same kernels on the same streams, launched link by link: the first links of all
// chains, then the second ones. Whoever is behind another in a queue now needs no more than it
// does, so that few queues are as good as many.
#include <memory>

#include "chapters/ch11/common/streams.hpp"
#include "chapters/ch11/hyper_q/chains.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11;

lab::Run prepare(lab::Setup& setup) {
  const ChainShape shape(setup.problem().size);
  const auto streams =
      std::make_shared<const SideStreams>("chains", static_cast<int>(shape.streams));
  return [shape, streams](const lab::Launch& launch) {
    streams->fork(launch.stream);
    for (std::int64_t link = 0; link < shape.links; ++link)
      for (std::int64_t chain = 0; chain < shape.chains; ++chain)
        enqueue_link(launch, chain, link, (*streams)[static_cast<int>(chain % shape.streams)]);
    streams->join(launch.stream);
  };
}

const lab::RungEntry entry{"ch11:hyper_q",
                           {.name = "breadth_first",
                            .step = 2,
                            .builds_on = "depth_first",
                            .idea = "the first links of all chains, then the second ones",
                            .look_at = "all chains at once, however few connections there are",
                            .prepare = prepare}};

}  // namespace
