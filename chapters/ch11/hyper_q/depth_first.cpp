// Rung 1: chains on streams of their own, launched one chain after the other. Where streams share a
// queue, the first link of a chain stands behind the last link of the one before, which waits for
// all of its own: a dependency that nobody asked for.
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
    for (std::int64_t chain = 0; chain < shape.chains; ++chain)
      for (std::int64_t link = 0; link < shape.links; ++link)
        enqueue_link(launch, chain, link, (*streams)[static_cast<int>(chain % shape.streams)]);
    streams->join(launch.stream);
  };
}

const lab::RungEntry entry{"ch11:hyper_q",
                           {.name = "depth_first",
                            .step = 1,
                            .builds_on = "one_stream",
                            .idea = "chains on streams, launched one whole chain after the other",
                            .look_at = "as many chains at once as there are connections",
                            .prepare = prepare}};

}  // namespace
