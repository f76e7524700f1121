// Rung 0: one product after the other on one stream: its matrices come in, are multiplied, and the
// result goes out before the next product's matrices come.
#include <memory>

#include "chapters/ch11/gemm_streams/products.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  const auto slot = std::make_shared<const ch11::ProductSlot>(setup);
  return [slot](const lab::Launch& launch) {
    for (std::int64_t i = 0; i < launch.dim(0); ++i) {
      slot->load(launch, i, launch.stream);
      slot->multiply(launch.stream);
      slot->store(launch, i, launch.stream);
    }
  };
}

const lab::RungEntry entry{"ch11:gemm_streams",
                           {.name = "in_turn",
                            .step = 0,
                            .builds_on = "",
                            .idea = "load, multiply, store, one product after the other",
                            .look_at = "the link into the device is idle while results go out",
                            .prepare = prepare}};

}  // namespace
