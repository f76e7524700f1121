// Rung 1 in fp16: two elements per chain.
#include "chapters/ch09/compute_bound/horner.cuh"

using namespace aisp;

namespace {

__global__ void __launch_bounds__(ch09::block_threads)
    horner_four_f16x2(const ch09::Chains16<__half2>* x, ch09::Chains16<__half2>* y,
                      long long vectors) {
  ch09::horner<1>(x, y, vectors);
}

}  // namespace

namespace aisp::ch09 {

void run_four_chains_f16(const lab::Launch& launch) { launch_horner<1>(horner_four_f16x2, launch); }

}  // namespace aisp::ch09
