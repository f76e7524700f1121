// From f32, bf16 or f16 to narrow floats with block scales, in the layout that gemm() reads:
//   tile::device::QuantizeProblem problem{.rows = m, .k = k, .from = x};
//   problem.to = {.data = codes, .element = tile::Element::e2m1, .stride = k,
//                 .scaling = tile::Scaling::nv, .scales = scales,
//                 .matrix_scale = tile::matrix_scale(tile::Scaling::nv, tile::Element::e2m1,
//                 largest)};
//   tile::device::quantize(problem, stream);
// scales holds ScaleExtent{m, k, scaling}.bytes() bytes, all of which are written. The host's
// function gives the same bits.
#pragma once

#include <cuda_runtime_api.h>

#include "tile/device/gemm/problem.hpp"

namespace aisp::tile::device {

struct QuantizeProblem {
  std::int64_t rows = 0, k = 0;
  const void* from = nullptr;
  Element from_element = Element::bf16;
  std::int64_t from_stride = 0;  // in elements; 0: k
  Matrix to{};                   // without batch
};

// Refuses (Exit::usage) with the numbers what cannot be quantised.
void quantize(const QuantizeProblem& problem, cudaStream_t stream = nullptr);
void quantize_on_host(const QuantizeProblem& problem);

// Of the source, for matrix_scale(); NaN where there is one. Waits for the stream; `to` is not
// looked at.
float largest_magnitude(const QuantizeProblem& problem, cudaStream_t stream = nullptr);

}  // namespace aisp::tile::device
