#include "app/tune/cuda_tuner.hpp"

#include "base/refuse.hpp"
#include "peers/cublaslt/prepare.hpp"
#include "tile/device/gemm/tuned_device.hpp"

namespace aisp::app {

std::unique_ptr<lab::Device> CudaTuner::open_device() {
  if (const auto why = lab::why_no_cuda_device(); !why.empty())
    base::refuse(base::Exit::environment, "no GPU to tune on: ", why,
                 "; 'aisp sim -- aisp tune gemm …' checks the candidates on the simulator, "
                 "--list only names them");
  return lab::open_cuda_device();
}

tile::device::TunedDevice CudaTuner::identity() { return tile::device::tuned_device(); }

std::vector<std::string> CudaTuner::opponents() { return {"cublaslt"}; }

Prepare CudaTuner::opponent(const std::string&) { return peers::prepare_product_nk; }

}  // namespace aisp::app
