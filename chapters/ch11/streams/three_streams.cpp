// Rung 2: one stream for each engine, so that a copy in waits for nothing but a free part of device
// memory. Chunks go through a ring of four; events hand them from stream to stream.
#include <memory>

#include "chapters/ch11/common/copies.hpp"
#include "chapters/ch11/common/streams.hpp"
#include "chapters/ch11/streams/chunks.hpp"
#include "chapters/ch11/streams/relax.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11;

// One that comes in, one worked on, one that goes out, and one so that none waits for another.
constexpr std::size_t slots = 4;

struct Slot {
  float* memory = nullptr;
  Event arrived, computed, left;
};

struct State {
  std::vector<Chunk> chunks;
  Slot ring[slots];
  SideStreams in{"copy in", 1}, compute{"compute", 1}, out{"copy out", 1};
};

void run(const State& state, const lab::Launch& launch) {
  const cudaStream_t in = state.in[0], compute = state.compute[0], out = state.out[0];
  state.in.fork(launch.stream);
  for (std::size_t i = 0; i < state.chunks.size(); ++i) {
    const Chunk& chunk = state.chunks[i];
    const Slot& slot = state.ring[i % slots];
    if (i >= slots) slot.left.hold(in);
    copy_in(slot.memory, launch.in<float>(0) + chunk.first, 4 * chunk.count, in);
    slot.arrived.record(in);

    slot.arrived.hold(compute);
    enqueue_relax(slot.memory, chunk.count, compute);
    slot.computed.record(compute);

    slot.computed.hold(out);
    copy_out(launch.out<float>(0) + chunk.first, slot.memory, 4 * chunk.count, out);
    slot.left.record(out);
  }
  state.out.join(launch.stream);  // the last copy out comes after everything else
}

lab::Run prepare(lab::Setup& setup) {
  const std::int64_t count = setup.problem().size.dims.at(0);
  const auto state = std::make_shared<State>();
  state->chunks = chunks_of(count);
  for (Slot& slot : state->ring)
    slot.memory =
        static_cast<float*>(setup.scratch(static_cast<std::size_t>(4 * largest_chunk(count))));
  return [state](const lab::Launch& launch) { run(*state, launch); };
}

const lab::RungEntry entry{
    "ch11:streams",
    {.name = "three_streams",
     .step = 2,
     .builds_on = "two_streams",
     .idea = "a stream for each engine, chunks handed on by events",
     .look_at = "both directions of the link busy from the first chunk to the last",
     .prepare = prepare}};

}  // namespace
