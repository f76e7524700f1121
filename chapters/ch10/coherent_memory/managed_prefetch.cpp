// Managed memory: one address for both sides. Its pages are sent to the device ahead of the kernels
// that need them, so that none of them has to fault.
#include <memory>

#include "chapters/ch10/coherent_memory/host_matrix.hpp"
#include "chapters/ch10/coherent_memory/rows.hpp"
#include "chapters/ch10/common/copy_stream.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

struct State {
  HostMatrices matrices{HostKind::managed};
  CopyStream prefetches{1};
};

void run(const State& state, const lab::Launch& launch) {
  const RowShape shape(launch.problem.size);
  const cudaMemLocation device = on_device();
  const char* x = state.matrices.of(launch).get();
  state.prefetches.fork(launch.stream);
  for (std::int64_t chunk = 0; chunk < shape.chunks(); ++chunk) {
    const char* here = x + shape.offset_of(chunk);
    {
      const lab::Range range("prefetch");
      const auto bytes = static_cast<std::size_t>(shape.rows_in(chunk) * shape.row_bytes());
      lab::check_cuda(cudaMemPrefetchAsync(here, bytes, device, 0, state.prefetches.get()),
                      "cudaMemPrefetchAsync");
    }
    state.prefetches.hand_over(0, launch.stream);
    enqueue_chunk(launch, here, chunk);
  }
}

lab::Run prepare(lab::Setup& setup) {
  const auto state = std::make_shared<State>();
  setup.stages_inputs({0});
  setup.before_each_run([state](const lab::Launch& launch) { state->matrices.before_run(launch); });
  return [state](const lab::Launch& launch) { run(*state, launch); };
}

const lab::RungEntry entry{"ch10:coherent_memory",
                           {.name = "managed_prefetch",
                            .step = 1,
                            .builds_on = "pinned_copies",
                            .idea = "managed memory, pages sent ahead: no second copy by anybody",
                            .look_at = "the processor does nothing, pages move as a whole",
                            .blocks_host = true,
                            .prepare = prepare}};

}  // namespace
