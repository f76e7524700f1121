// Rung 2: two 16-byte vectors per thread, so eight chains. Sixteen were slower on the H200,
// probably because the unrolled code (64 KiB) outgrows an instruction cache.
#include "chapters/ch09/compute_bound/horner.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

__global__ void __launch_bounds__(ch09::block_threads)
    horner_eight_f32(const ch09::Chains16<float>* x, ch09::Chains16<float>* y, long long vectors) {
  ch09::horner<2>(x, y, vectors);
}

void run(const lab::Launch& launch) {
  if (ch09::is_f16(launch))
    ch09::run_eight_chains_f16(launch);
  else
    ch09::launch_horner<2>(horner_eight_f32, launch);
}

const lab::RungEntry entry{
    "ch09:compute_bound",
    {.name = "eight_chains",
     .step = 2,
     .builds_on = "four_chains",
     .idea = "eight independent chains per thread",
     .look_at = "2048 FFMA (or HFMA2) with an immediate between loads and stores",
     .prepare = lab::plain(run)}};

}  // namespace
