// The host's side of the chain: one launch per layer, results in turn in two buffers and at last in
// the output.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "chapters/ch11/programmatic_launch/chain.cuh"
#include "lab/case/range.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch11::chain {

using Kernel = void (*)(Layer);

// `early`: a layer's kernel need not wait until the one ahead of it is over to start. It says
// itself where it waits.
inline void launch_layer(Kernel kernel, const Layer& layer, bool early, cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(layer.width / rows_per_block);
  config.blockDim = threads;
  config.dynamicSmemBytes =
      static_cast<std::size_t>(rows_per_block * layer.width) * sizeof(std::uint16_t);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  lab::check_cuda(cudaLaunchKernelEx(&config, kernel, layer), "launch of a layer");
}

// The first layer has nobody of the chain ahead of it: it is launched as any kernel.
inline lab::Run prepare_chain(lab::Setup& setup, Kernel kernel, bool early) {
  const auto& dims = setup.problem().size.dims;
  const auto layers = static_cast<int>(dims.at(0)), width = static_cast<int>(dims.at(1));
  lab::check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       rows_per_block * width * 2),
                  "shared memory of a layer");
  const int count = batch * width;
  auto* between =
      static_cast<float*>(setup.scratch(2 * static_cast<std::size_t>(count) * sizeof(float)));
  return [=](const lab::Launch& launch) {
    const lab::Range range("chain");
    const auto* weights = launch.in<std::uint16_t>(1);
    const float* x = launch.in<float>(0);
    for (int layer = 0; layer < layers; ++layer) {
      float* y = layer + 1 == layers ? launch.out<float>(0) : between + layer % 2 * count;
      launch_layer(kernel,
                   {weights + static_cast<std::int64_t>(layer) * width * width, x, y, width},
                   early && layer > 0, launch.stream);
      x = y;
    }
  };
}

}  // namespace aisp::ch11::chain
