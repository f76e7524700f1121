// Order by dependency. Pages come from a pool in the order of the append stream; an event tells a
// reading stream that its layers have been appended; the host waits for nothing. Appends never
// overwrite what is read, so that they run ahead of the attention as far as the host does.
#include <algorithm>
#include <memory>

#include "chapters/ch11/common/pool.hpp"
#include "chapters/ch11/common/streams.hpp"
#include "chapters/ch11/stream_ordered_kv_cache/cache.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11;

// Layers that share an event, and stay together on a reading stream.
constexpr std::int64_t group_layers = 4;

struct State {
  explicit State(lab::Setup& setup)
      : table(setup.scratch(
            sizeof(void*) *
            static_cast<std::size_t>(CacheShape(setup.problem().size).table_entries()))) {}
  void* table;
  Pool pool;
  SideStreams append{"append", 1}, reads{"read", 2};
  Event appended;
};

void run(const State& state, const lab::Launch& launch) {
  const CacheRun run(launch, state.table);
  const cudaStream_t append = state.append[0];
  std::vector<NewPage> pages;
  state.append.fork(launch.stream);
  state.reads.fork(launch.stream);
  int groups = 0;
  for (std::int64_t step = 0; step < run.shape.steps; ++step) {
    const lab::Range range("step");
    const auto taken =
        run.take_pages(step, [&](std::size_t bytes) { return state.pool.take(bytes, append); });
    enqueue_map(run, taken, append);
    pages.insert(pages.end(), taken.begin(), taken.end());
    for (std::int64_t first = 0; first < run.shape.layers; first += group_layers) {
      const std::int64_t last = std::min(first + group_layers, run.shape.layers);
      const cudaStream_t read = state.reads[groups++ % state.reads.count()];
      for (std::int64_t layer = first; layer < last; ++layer)
        enqueue_append(run, step, layer, append);
      state.appended.record(append);
      state.appended.hold(read);
      for (std::int64_t layer = first; layer < last; ++layer)
        enqueue_attention(run, step, layer, read);
    }
  }
  enqueue_gather(run, append);
  state.append.join(launch.stream);
  state.reads.join(launch.stream);
  for (const NewPage& page : pages) Pool::give_back(page.page, launch.stream);
}

lab::Run prepare(lab::Setup& setup) {
  const auto state = std::make_shared<State>(setup);
  setup.before_each_check([state](const lab::Launch& launch) {
    const CacheShape shape(launch.problem.size);
    state->pool.poison(shape.table_entries(), shape.page_bytes(), launch.stream);
  });
  return [state](const lab::Launch& launch) { run(*state, launch); };
}

const lab::RungEntry entry{"ch11:stream_ordered_kv_cache",
                           {.name = "events_and_pool",
                            .step = 2,
                            .builds_on = "device_wide_waits",
                            .idea = "pages in stream order, events between append and read",
                            .look_at = "attention of one group of layers beside the appends and "
                                       "the attention of the next; the host never waits",
                            .needs = lab::Needs::sm_80,
                            .prepare = prepare}};

}  // namespace
