// Rung 1: a stream for each stage. The next products come in while one is multiplied and the
// results before it go out; three slots of device memory go round, and events say when a stage may
// begin. A slot's matrices are free again once it is multiplied, its result once that is stored.
#include <memory>
#include <vector>

#include "chapters/ch11/common/streams.hpp"
#include "chapters/ch11/gemm_streams/products.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11;

constexpr std::int64_t slots = 3;

struct Slot {
  explicit Slot(lab::Setup& setup) : product(setup) {}
  ProductSlot product;
  Event loaded, multiplied, stored;
};

struct State {
  std::vector<Slot> ring;
  SideStreams load{"load", 1}, math{"math", 1}, store{"store", 1};
};

void run(const State& state, const lab::Launch& launch) {
  const cudaStream_t load = state.load[0], math = state.math[0], store = state.store[0];
  state.load.fork(launch.stream);
  for (std::int64_t i = 0; i < launch.dim(0); ++i) {
    const Slot& slot = state.ring[static_cast<std::size_t>(i % slots)];
    if (i >= slots) slot.multiplied.hold(load);
    slot.product.load(launch, i, load);
    slot.loaded.record(load);

    slot.loaded.hold(math);
    if (i >= slots) slot.stored.hold(math);
    slot.product.multiply(math);
    slot.multiplied.record(math);

    slot.multiplied.hold(store);
    slot.product.store(launch, i, store);
    slot.stored.record(store);
  }
  state.store.join(launch.stream);  // the last store comes after everything else
}

lab::Run prepare(lab::Setup& setup) {
  const auto state = std::make_shared<State>();
  for (std::int64_t i = 0; i < slots; ++i) state->ring.emplace_back(setup);
  return [state](const lab::Launch& launch) { run(*state, launch); };
}

const lab::RungEntry entry{"ch11:gemm_streams",
                           {.name = "staged",
                            .step = 1,
                            .builds_on = "in_turn",
                            .idea = "load, math and store on streams of their own, three slots",
                            .look_at = "the link into the device never waits; products and stores "
                                       "run under the loads",
                            .prepare = prepare}};

}  // namespace
