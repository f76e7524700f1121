// What one writes first: the buffers of a step come from cudaMalloc and go back by cudaFree when
// the step's kernels are enqueued. That is right because cudaFree waits for the device, and it is
// slow for the same reason.
#include <memory>
#include <vector>

#include "chapters/ch11/stream_ordered/filters.hpp"
#include "lab/case/range.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/poison.hpp"

using namespace aisp;

namespace {

using namespace ch11;

struct Free {
  void operator()(float* memory) const { cudaFree(memory); }
};
using Temporary = std::unique_ptr<float, Free>;

Temporary allocate(std::size_t bytes) {
  void* memory = nullptr;
  lab::check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc of a temporary");
  return Temporary(static_cast<float*>(memory));
}

void run(const lab::Launch& launch) {
  const FilterRun run(launch);
  enqueue_clear(run, launch.stream);
  for (std::int64_t step = 0; step < run.steps; ++step) {
    const lab::Range range("step");
    std::vector<Temporary> buffers;
    for (int stage = 0; stage < filter_stages; ++stage) buffers.push_back(allocate(run.bytes()));
    const float* from = run.x;
    for (int stage = 0; stage < filter_stages; ++stage) {
      float* to = buffers[static_cast<std::size_t>(stage)].get();
      enqueue_stage(run, step, stage, from, to, launch.stream);
      from = to;
    }
    enqueue_add(run, from, launch.stream);
  }
}

// What the next buffers hold, as far as cudaMalloc gives out again what cudaFree got.
void poison(const lab::Launch& launch) {
  const std::size_t bytes = FilterRun(launch).bytes();
  std::vector<Temporary> buffers;
  for (int stage = 0; stage < filter_stages; ++stage) {
    buffers.push_back(allocate(bytes));
    lab::check_cuda(cudaMemsetAsync(buffers.back().get(), lab::poison_byte, bytes, launch.stream),
                    "poison");
  }
}

lab::Run prepare(lab::Setup& setup) {
  setup.before_each_check(poison);
  return run;
}

const lab::RungEntry entry{"ch11:stream_ordered",
                           {.name = "malloc_and_free",
                            .step = 0,
                            .builds_on = "",
                            .idea = "cudaMalloc and cudaFree in every step",
                            .look_at = "the device waits while the host allocates and frees",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .blocks_host = true,
                            .prepare = prepare}};

}  // namespace
