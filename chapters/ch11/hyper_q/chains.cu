#include "chapters/ch11/hyper_q/chains.hpp"

using namespace aisp;

namespace aisp::ch11 {
namespace {

struct Link {
  std::int64_t links, chain, link;
  int steps;
};

}  // namespace
}  // namespace aisp::ch11

extern "C" __global__ void __launch_bounds__(ch11::chain_lanes)
    hyper_q_link(const float* before, const float* factor, float* after, ch11::Link at) {
  const int lane = static_cast<int>(threadIdx.x);
  std::uint32_t draw = ch11::first_draw(at.links, at.chain, at.link, lane);
#pragma unroll 1
  for (int step = 0; step < at.steps; ++step) draw = draw * ch11::draw_factor + ch11::draw_summand;
  after[lane] = fmaf(*factor, before[lane], ch11::fraction_of(draw));
}

namespace aisp::ch11 {

void enqueue_link(const lab::Launch& launch, std::int64_t chain, std::int64_t link,
                  cudaStream_t stream) {
  const ChainShape shape(launch.problem.size);
  float* values = launch.out<float>(0) + chain * chain_lanes;
  const float* before = link == 0 ? launch.in<float>(0) + chain * chain_lanes : values;
  const float* factor = launch.in<float>(1) + chain * shape.links + link;
  hyper_q_link<<<1, chain_lanes, 0, stream>>>(
      before, factor, values, {shape.links, chain, link, static_cast<int>(shape.steps)});
  lab::check_cuda(cudaGetLastError(), "hyper_q_link");
}

}  // namespace aisp::ch11
