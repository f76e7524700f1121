// Rung 1: four streams, so four products are on the chip at a time. Each takes few blocks with
// large tiles now: it need not fill the chip alone.
#include <memory>

#include "chapters/ch11/tensor_cores_streams/products.hpp"
#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11::products;

lab::Run prepare(lab::Setup&) {
  const auto streams = std::make_shared<ch11::SideStreams>("products", 4);
  return lab::per_buffers([streams](const lab::Launch& launch) -> lab::Enqueue {
    return [streams, runs = plan_each(launch, plan_to_share)](cudaStream_t stream) {
      run_side_by_side(runs, *streams, stream);
    };
  });
}

const lab::RungEntry entry{
    "ch11:tensor_cores_streams",
    {.name = "four_streams",
     .step = 1,
     .builds_on = "one_after_another",
     .idea = "four streams in turn; large tiles, because no product has to fill the chip alone",
     .look_at = "four kernels at a time; the host's pace of launches is the bound",
     .prepare = prepare}};

}  // namespace
