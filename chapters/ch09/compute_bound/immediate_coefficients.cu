// Rung 2: the same chains with every coefficient inside its instruction. The fp16 kernel is
// compiled beside this one.
#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/compute_bound/immediate.cuh"
#include "lab/case/registry.hpp"

namespace {

__global__ void __launch_bounds__(ch09::block_threads)
    horner_immediate_f32(const ch09::Chains16<float>* x, ch09::Chains16<float>* y,
                         long long vectors) {
  ch09::unrolled_horner<float, ch09::vectors_f32>(x, y, vectors);
}

void run_f32(const lab::Launch& launch) {
  const auto vectors = launch.dim(0) / 4;
  horner_immediate_f32<<<ch09::blocks_for(vectors, ch09::block_threads * ch09::vectors_f32),
                         ch09::block_threads, 0, launch.stream>>>(
      launch.in<ch09::Chains16<float>>(0), launch.out<ch09::Chains16<float>>(0), vectors);
  lab::check_cuda(cudaGetLastError(), "horner_immediate_f32");
}

lab::Run prepare(lab::Setup& setup) {
  return setup.problem().inputs.at(0).dtype == lab::Dtype::f16 ? ch09::run_immediate_f16 : run_f32;
}

const lab::RungEntry entry{
    "ch09:compute_bound",
    {.name = "immediate_coefficients",
     .step = 2,
     .builds_on = "independent_chains",
     .idea = "all steps written out, coefficients inside the instructions",
     .look_at = "2048 FFMA (or 1024 HFMA2) with an immediate between load and store",
     .prepare = prepare}};

}  // namespace
