// Rung 1: one 16-byte vector per thread, so four chains that do not wait for each other. In fp16 a
// chain is a packed pair: eight elements per thread, two per instruction.
#include "chapters/ch09/compute_bound/horner.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

__global__ void __launch_bounds__(ch09::block_threads)
    horner_four_f32(const ch09::Chains16<float>* x, ch09::Chains16<float>* y, long long vectors) {
  ch09::horner<1>(x, y, vectors);
}

void run(const lab::Launch& launch) {
  if (ch09::is_f16(launch))
    ch09::run_four_chains_f16(launch);
  else
    ch09::launch_horner<1>(horner_four_f32, launch);
}

const lab::RungEntry entry{
    "ch09:compute_bound",
    {.name = "four_chains",
     .step = 1,
     .builds_on = "dependent_chain",
     .idea = "four independent chains per thread from one 16-byte load; halves packed in pairs",
     .look_at = "four FFMA (or HFMA2) on different registers between two on the same",
     .prepare = lab::plain(run)}};

}  // namespace
