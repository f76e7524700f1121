// Rung 2: eight chains per thread. In fp16 the fourth packed chain was the last that helped on the
// H200, so this rung is for fp32 alone; sixteen chains outgrow the instruction cache in both.
#include "chapters/ch09/compute_bound/horner.cuh"
#include "lab/case/registry.hpp"

namespace {

__global__ void __launch_bounds__(ch09::block_threads)
    horner_eight_f32(const ch09::Chains16<float>* x, ch09::Chains16<float>* y, long long vectors) {
  ch09::horner<2>(x, y, vectors);
}

void run(const lab::Launch& launch) { ch09::launch_horner<2>(horner_eight_f32, launch); }

const lab::RungEntry entry{"ch09:compute_bound",
                           {.name = "eight_chains",
                            .step = 2,
                            .builds_on = "four_chains",
                            .idea = "eight independent chains per thread",
                            .look_at = "2048 FFMA with an immediate between loads and stores",
                            .variants = {"f32"},
                            .prepare = lab::plain(run)}};

}  // namespace
