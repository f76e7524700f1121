// One launch for all steps: as many blocks as the device holds walk over the tiles of a step, and
// meet before the next. The same loads, arithmetic and stores as with a launch per step.
#include "chapters/ch10/cooperative_persistent/launch.hpp"
#include "chapters/ch10/cooperative_persistent/meeting.cuh"
#include "chapters/ch10/cooperative_persistent/smoothing.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch10::smooth_threads, 4)
    smoothing_one_launch(ch10::Arrays arrays, int vectors, int steps, ch10::Board* board) {
  using namespace ch10;
  const int tiles = (vectors - 1) / tile_vectors + 1;
  for (int step = 0; step < steps; ++step) {
    if (step > 0) meet(*board, step);
    for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x))
      smooth_tile(arrays.from(step, steps), arrays.to(step, steps), tile, vectors);
  }
  leave(*board);
}

namespace {

using namespace ch10;

lab::Run prepare(lab::Setup& setup) {
  const int most =
      resident_blocks(setup, reinterpret_cast<const void*>(smoothing_one_launch), 0, "one_launch");
  float4* spare = spare_array(setup);
  auto* board = zeroed<Board>(setup);
  return [=](const lab::Launch& launch) {
    const int vectors = vectors_of(launch.problem);
    launch_cooperative(smoothing_one_launch, std::min(most, tiles_of(vectors)), 0, launch.stream,
                       "cooperative_persistent one_launch",
                       Arrays{launch.in<float4>(0), spare, launch.out<float4>(0)}, vectors,
                       steps_of(launch.problem), board);
  };
}

const lab::RungEntry entry{
    "ch10:cooperative_persistent",
    {.name = "one_launch",
     .step = 1,
     .builds_on = "launch_per_step",
     .idea = "a cooperative kernel: blocks stay and meet between the steps",
     .look_at = "one launch; an atomic per block and step, and the wait for the slowest block",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .prepare = prepare}};

}  // namespace
