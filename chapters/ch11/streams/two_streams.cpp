// Rung 1: chunks go to two streams in turn. While one has its chunk worked on or copied out, the
// other can copy the next one in. But a chunk's three steps take longer than two copies: each
// stream comes back late, and the link waits for it.
#include <memory>

#include "chapters/ch11/common/copies.hpp"
#include "chapters/ch11/common/streams.hpp"
#include "chapters/ch11/streams/chunks.hpp"
#include "chapters/ch11/streams/relax.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11;

constexpr int streams = 2;

struct State {
  std::vector<Chunk> chunks;
  float* memory[streams] = {};  // of one chunk each
  SideStreams side{"chunks", streams};
};

void run(const State& state, const lab::Launch& launch) {
  state.side.fork(launch.stream);
  for (std::size_t i = 0; i < state.chunks.size(); ++i) {
    const Chunk& chunk = state.chunks[i];
    const int at = static_cast<int>(i % streams);
    const cudaStream_t stream = state.side[at];
    copy_in(state.memory[at], launch.in<float>(0) + chunk.first, 4 * chunk.count, stream);
    enqueue_relax(state.memory[at], chunk.count, stream);
    copy_out(launch.out<float>(0) + chunk.first, state.memory[at], 4 * chunk.count, stream);
  }
  state.side.join(launch.stream);
}

lab::Run prepare(lab::Setup& setup) {
  const std::int64_t count = setup.problem().size.dims.at(0);
  const auto state = std::make_shared<State>();
  state->chunks = chunks_of(count);
  for (auto& memory : state->memory)
    memory = static_cast<float*>(setup.scratch(static_cast<std::size_t>(4 * largest_chunk(count))));
  return [state](const lab::Launch& launch) { run(*state, launch); };
}

const lab::RungEntry entry{"ch11:streams",
                           {.name = "two_streams",
                            .step = 1,
                            .builds_on = "one_stream",
                            .idea = "chunks on two streams in turn",
                            .look_at = "both directions of the link at once, with gaps in each",
                            .prepare = prepare}};

}  // namespace
