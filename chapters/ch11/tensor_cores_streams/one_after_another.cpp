// Rung 0: every product has a launch of its own, one after the other on one stream, with the recipe
// that is the best for it alone.
#include "chapters/ch11/tensor_cores_streams/products.hpp"
#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11::products;

lab::Enqueue bind(const lab::Launch& launch) {
  return [runs = plan_each(launch, plan_alone)](cudaStream_t stream) {
    for (const PlannedRun& run : runs) {
      const lab::Range range("product");
      run(stream);
    }
  };
}

const lab::RungEntry entry{"ch11:tensor_cores_streams",
                           {.name = "one_after_another",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one launch per product on one stream",
                            .look_at = "every product ends before the next begins",
                            .prepare = [](lab::Setup&) { return lab::per_buffers(bind); }}};

}  // namespace
