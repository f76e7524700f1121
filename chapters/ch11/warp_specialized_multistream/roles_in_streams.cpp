// Rung 2: the same kernel in each of several streams. A launch has as many blocks as its part of
// the chip, so several batches run at a time, and while one ends and the next one loads its
// matrices the others multiply.
#include <memory>

#include "chapters/ch11/common/streams.hpp"
#include "chapters/ch11/warp_specialized_multistream/roles.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

// A quarter of an H200 is 33 multiprocessors.
constexpr int most_streams = 4;

lab::Run prepare(lab::Setup& setup) {
  const auto batches = ch11::batches_of(setup.problem());
  const int count = std::min(most_streams, static_cast<int>(batches.size()));
  const int blocks = std::max(1, setup.multiprocessors() / count);
  const auto streams = std::make_shared<ch11::SideStreams>("batches", count);
  return ch11::run_roles([=](const ch11::TransformMaps& maps, cudaStream_t stream) {
    streams->fork(stream);
    for (std::size_t i = 0; i < batches.size(); ++i)
      ch11::launch_roles(maps, batches[i], blocks, (*streams)[static_cast<int>(i) % count]);
    streams->join(stream);
  });
}

const lab::RungEntry entry{"ch11:warp_specialized_multistream",
                           {.name = "roles_in_streams",
                            .step = 2,
                            .builds_on = "roles",
                            .idea = "batches in four streams, each with a quarter of the chip",
                            .look_at = "four kernels at a time; no moment without products",
                            .needs = lab::Needs::sm_90,
                            .prepare = prepare}};

}  // namespace
