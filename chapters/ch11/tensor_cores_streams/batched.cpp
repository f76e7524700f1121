// Beside the ladder: what the graph is measured against. The library's batch is one launch whose
// persistent blocks walk over the tiles of all products; it wants them at equal distances.
#include "chapters/ch11/tensor_cores_streams/products.hpp"
#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11::products;

lab::Enqueue bind(const lab::Launch& launch) {
  return [run = plan_alone(batch_of(launch))](cudaStream_t stream) {
    const lab::Range range("batch");
    run(stream);
  };
}

const lab::RungEntry entry{"ch11:tensor_cores_streams",
                           {.name = "batched",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one launch of the tile library for the whole batch",
                            .look_at = "no gap between the tiles of two products",
                            .peer = true,
                            .prepare = [](lab::Setup&) { return lab::per_buffers(bind); }}};

}  // namespace
