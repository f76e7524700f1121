// The tuner of the tile library's matrix products.
#pragma once

#include "app/tune/cuda_tuner.hpp"

namespace aisp::app {

class GemmTuner : public CudaTuner {
 public:
  // Every recipe that takes the product, with several orders of tiles and, where the sum over K can
  // be shared, several slices. Needs no device: without one it is an H200 that is asked about.
  std::vector<Candidate> candidates(const tile::device::GemmKey& key) override;
};

}  // namespace aisp::app
