// The sizes of distributed_streams, and where a bucket lies in its buffers.
#pragma once

#include <cstdint>

#include "lab/case/case.hpp"

namespace aisp::ch11 {

struct TrainingShape {
  std::int64_t buckets = 0, elements = 0, samples = 0;
  int ranks = 0;

  explicit TrainingShape(const lab::Size& size)
      : buckets(size.dims.at(0)),
        elements(size.dims.at(1)),
        samples(size.dims.at(2)),
        ranks(static_cast<int>(size.dims.at(3))) {}
  TrainingShape(std::int64_t bucket_count, std::int64_t element_count, std::int64_t sample_count,
                int rank_count)
      : buckets(bucket_count), elements(element_count), samples(sample_count), ranks(rank_count) {}

  std::int64_t gradients() const { return buckets * elements; }         // of a rank
  std::int64_t sample_floats() const { return buckets * samples * 2; }  // of a rank
};

}  // namespace aisp::ch11
