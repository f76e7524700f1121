// What one writes next: a stream keeps its work in order by itself, so that one stream for appends
// and attention needs neither waits nor events; and memory for all pages is there before the first
// step, handed out page by page.
#include <utility>

#include "chapters/ch11/stream_ordered_kv_cache/cache.hpp"
#include "lab/case/range.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11;

struct State {
  explicit State(lab::Setup& setup) {
    const CacheShape shape(setup.problem().size);
    const auto entries = static_cast<std::size_t>(shape.table_entries());
    table = setup.scratch(sizeof(void*) * entries);
    pages = static_cast<std::byte*>(setup.scratch(shape.page_bytes() * entries));
  }
  void* table;
  std::byte* pages;
};

void run(const State& state, const lab::Launch& launch) {
  const CacheRun run(launch, state.table);
  std::byte* unused = state.pages;
  const auto take = [&](std::size_t bytes) -> void* {
    return std::exchange(unused, unused + bytes);
  };
  for (std::int64_t step = 0; step < run.shape.steps; ++step) {
    const lab::Range range("step");
    enqueue_map(run, run.take_pages(step, take), launch.stream);
    for (std::int64_t layer = 0; layer < run.shape.layers; ++layer) {
      enqueue_append(run, step, layer, launch.stream);
      enqueue_attention(run, step, layer, launch.stream);
    }
  }
  enqueue_gather(run, launch.stream);
}

lab::Run prepare(lab::Setup& setup) {
  return [state = State(setup)](const lab::Launch& launch) { run(state, launch); };
}

const lab::RungEntry entry{"ch11:stream_ordered_kv_cache",
                           {.name = "one_stream",
                            .step = 1,
                            .builds_on = "device_wide_waits",
                            .idea = "all work in the order of one stream, pages allocated before",
                            .look_at = "kernels back to back; none beside another",
                            .needs = lab::Needs::sm_80,
                            .prepare = prepare}};

}  // namespace
