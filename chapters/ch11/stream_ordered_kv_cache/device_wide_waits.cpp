// What one writes first: pages from cudaMalloc when a sequence needs one, appends on one stream,
// attention on another, and a wait for the whole device behind each of the three. It is right
// whatever stream a kernel is on, and the device has nothing to do while the host comes back.
#include <memory>

#include "chapters/ch11/common/streams.hpp"
#include "chapters/ch11/stream_ordered_kv_cache/cache.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/poison.hpp"

using namespace aisp;

namespace {

using namespace ch11;

struct State {
  explicit State(lab::Setup& setup)
      : table(setup.scratch(
            sizeof(void*) *
            static_cast<std::size_t>(CacheShape(setup.problem().size).table_entries()))) {}
  void* table;
  SideStreams append{"append", 1}, read{"read", 1};
};

struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};

using Page = std::unique_ptr<void, Free>;

Page allocate(std::size_t bytes) {
  void* memory = nullptr;
  lab::check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc of a page");
  return Page(memory);
}

void wait_for_device() { lab::check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

void run(const State& state, const lab::Launch& launch) {
  const CacheRun run(launch, state.table);
  const cudaStream_t append = state.append[0], read = state.read[0];
  std::vector<Page> pages;
  const auto take = [&](std::size_t bytes) { return pages.emplace_back(allocate(bytes)).get(); };
  state.append.fork(launch.stream);
  state.read.fork(launch.stream);
  for (std::int64_t step = 0; step < run.shape.steps; ++step) {
    const lab::Range range("step");
    if (const auto taken = run.take_pages(step, take); !taken.empty()) {
      enqueue_map(run, taken, append);
      wait_for_device();
    }
    for (std::int64_t layer = 0; layer < run.shape.layers; ++layer) {
      enqueue_append(run, step, layer, append);
      wait_for_device();
      enqueue_attention(run, step, layer, read);
      wait_for_device();
    }
  }
  enqueue_gather(run, read);
  wait_for_device();  // then the pages go back
}

// What the next pages hold, as far as cudaMalloc gives out again what cudaFree got.
void poison(const lab::Launch& launch) {
  const CacheShape shape(launch.problem.size);
  std::vector<Page> pages;
  for (std::int64_t i = 0; i < shape.table_entries(); ++i) {
    pages.push_back(allocate(shape.page_bytes()));
    lab::check_cuda(
        cudaMemsetAsync(pages.back().get(), lab::poison_byte, shape.page_bytes(), launch.stream),
        "poison");
  }
}

lab::Run prepare(lab::Setup& setup) {
  setup.before_each_check(poison);
  const auto state = std::make_shared<State>(setup);
  return [state](const lab::Launch& launch) { run(*state, launch); };
}

const lab::RungEntry entry{"ch11:stream_ordered_kv_cache",
                           {.name = "device_wide_waits",
                            .step = 0,
                            .builds_on = "",
                            .idea = "cudaMalloc per page, cudaDeviceSynchronize behind every step",
                            .look_at = "the gaps between kernels are longer than the kernels",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .blocks_host = true,
                            .prepare = prepare}};

}  // namespace
