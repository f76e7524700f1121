// What a tuner of CUDA kernels has whatever the kernels are: the device, its name, and cuBLASLt to
// be held against.
#pragma once

#include "app/tune/tuner.hpp"

namespace aisp::app {

class CudaTuner : public Tuner {
 public:
  std::unique_ptr<lab::Device> open_device() override;
  tile::device::TunedDevice identity() override;
  std::vector<std::string> opponents() override;
  Prepare opponent(const std::string& name) override;
};

}  // namespace aisp::app
