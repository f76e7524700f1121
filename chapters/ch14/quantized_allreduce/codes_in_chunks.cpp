// The same kernels on parts of a segment: while one is summed, the next is quantised and others are
// on the wire.
#include <algorithm>

#include "chapters/ch14/quantized_allreduce/codes.hpp"
#include "lab/case/registry.hpp"

namespace aisp::ch14 {
namespace {

// An eighth of a segment: the first chunk's quantisation and the last one's results have nothing
// beside them. At most half a megabyte of codes, more gains nothing.
comm::QuantizedOptions options(const SumShape& shape) {
  constexpr std::int64_t most = std::int64_t{1} << 19;
  const std::int64_t segment = comm::segment_elements(shape.count, shape.ranks);
  return {.codes = shape.codes,
          .chunk = std::min(most, (segment + 7) / 8),
          .under_way = 4,
          .fused = true};
}

const lab::RungEntry entry{
    "ch14:quantized_allreduce",
    {.name = "codes_in_chunks",
     .step = 4,
     .builds_on = "codes_fused",
     .idea = "chunks: one is summed while others are on the wire",
     .look_at = "in a trace, copies of one chunk under the kernels of others",
     .needs = lab::Needs::sm_80,
     .narrower = block_codes,
     .prepare = [](lab::Setup& setup) {
       return prepare_codes(setup, options(SumShape(setup.problem().size)));
     }}};

}  // namespace
}  // namespace aisp::ch14
