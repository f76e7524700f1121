// The baseline: a ring of copies and sums, in f32.
#include <algorithm>

#include "chapters/ch14/quantized_allreduce/ring.hpp"
#include "lab/case/registry.hpp"

namespace aisp::ch14 {
namespace {

lab::Run prepare(lab::Setup& setup) {
  const SumShape shape(setup.problem().size);
  auto sum = [count = shape.count](comm::PeerRing& ring, std::span<const comm::Part> parts) {
    ring.all_reduce(comm::Dtype::f32, count, parts);
  };
  return prepare_sum(setup, std::make_unique<AllReduceOver<comm::PeerRing, decltype(sum)>>(
                                make_ring(shape, comm::Dtype::f32), sum));
}

const lab::RungEntry entry{
    "ch14:quantized_allreduce",
    {.name = "f32_ring",
     .step = 0,
     .builds_on = "",
     .idea = "partial sums go round a ring in f32, then the whole ones",
     .look_at = "the bytes sent: 2 (ranks - 1) / ranks of the array, by each",
     .needs = lab::Needs::sm_80,
     .prepare = prepare}};

}  // namespace
}  // namespace aisp::ch14
