// What the rungs with codes on the wire share: they differ in the options of the exchange.
#pragma once

#include <functional>

#include "chapters/ch14/quantized_allreduce/ranks.hpp"
#include "comm/peer_ring.hpp"
#include "comm/quantized/error_bound.hpp"
#include "comm/quantized/exchange.hpp"

namespace aisp::ch14 {

inline lab::Run prepare_codes(lab::Setup& setup, const comm::QuantizedOptions& options,
                              std::function<void(const lab::Launch&)> before = {}) {
  const SumShape shape(setup.problem().size);
  auto sum = [count = shape.count](comm::QuantizedExchange& exchange,
                                   std::span<const comm::Part> parts) {
    exchange.all_reduce(count, parts);
  };
  return prepare_sum(setup,
                     std::make_unique<AllReduceOver<comm::QuantizedExchange, decltype(sum)>>(
                         std::make_unique<comm::QuantizedExchange>(
                             comm::spread_over_devices(shape.ranks), options),
                         sum),
                     std::move(before));
}

// A segment in one go.
inline comm::QuantizedOptions in_one_chunk(const SumShape& shape, bool fused) {
  return {.codes = shape.codes,
          .chunk = comm::segment_elements(shape.count, shape.ranks),
          .under_way = 1,
          .fused = fused};
}

}  // namespace aisp::ch14
