// The array stays on the chip: between two steps a block keeps its stretch in shared memory and
// tells its neighbours two floats each. What does not fit passes through a ring of slots and is
// stored where it came from, so that a step touches half of the memory that two arrays would take
// and L2 can hold it. See chip_plan.hpp for what lies where.
#include "chapters/ch10/cooperative_persistent/chip_block.cuh"
#include "chapters/ch10/cooperative_persistent/launch.hpp"
#include "chapters/ch10/cooperative_persistent/meeting.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch10::smooth_threads, 1)
    smoothing_stays_on_chip(const float4* x, float4* y, ch10::ChipPlan plan, int steps,
                            ch10::PostOffice office) {
  extern __shared__ __align__(128) float4 slots_smem[];
  if constexpr (ch10::has_bulk_copies)
    ch10::ChipBlock(slots_smem, x, y, plan, office).run(steps);
  else
    __trap();
}

namespace {

using namespace ch10;

lab::Run prepare(lab::Setup& setup) {
  const int most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const int slots = (most - chip_static_bytes) / chip_tile_bytes;
  if (slots < least_chip_slots)
    base::refuse(base::Exit::environment, "cooperative_persistent stays_on_chip: a block needs ",
                 least_chip_slots * chip_tile_bytes + chip_static_bytes,
                 " bytes of shared memory, this device has ", most,
                 "; use --rungs launch_per_step,one_launch,tma_ring");
  const ChipPlan plan = plan_chip(vectors_of(setup.problem()), setup.multiprocessors(), slots);
  const int smem_bytes = plan.slots * chip_tile_bytes;
  resident_blocks(setup, reinterpret_cast<const void*>(smoothing_stays_on_chip), smem_bytes,
                  "stays_on_chip");  // one block per multiprocessor at least
  const PostOffice office{zeroed<Mailboxes>(setup, plan.blocks), zeroed<std::uint32_t>(setup),
                          zeroed<Board>(setup)};
  return [=](const lab::Launch& launch) {
    launch_cooperative(smoothing_stays_on_chip, plan.blocks, smem_bytes, launch.stream,
                       "cooperative_persistent stays_on_chip", launch.in<float4>(0),
                       launch.out<float4>(0), plan, steps_of(launch.problem), office);
  };
}

const lab::RungEntry entry{
    "ch10:cooperative_persistent",
    {.name = "stays_on_chip",
     .step = 3,
     .builds_on = "tma_ring",
     .idea = "blocks keep their part in shared memory; neighbours exchange two floats",
     .look_at = "no global traffic but letters where the array fits; no meeting of all blocks",
     .needs = lab::Needs::sm_90,
     .peer = false,
     .variants = {},
     .prepare = prepare}};

}  // namespace
