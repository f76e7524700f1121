// Matrices that get block scales: any GPU, and the host.
#include "base/refuse.hpp"
#include "tile/device/launch/launch.cuh"
#include "tile/device/quantize/quantize.hpp"
#include "tile/kernel/quantize.cuh"

namespace aisp::tile::device {
namespace {

using base::Exit;
using base::refuse;

QuantizeParams admitted_params(const QuantizeProblem& p) {
  const Matrix& to = p.to;
  if (p.rows < 1 || p.k < 1)
    refuse(Exit::usage, "quantize: ", p.rows, " x ", p.k, " elements; both must be at least 1");
  const bool narrow = bytes_of(to.element) == 1 && to.element != Element::s8;
  if (to.scaling == Scaling::none || !narrow ||
      (to.scaling == Scaling::nv && to.element != Element::e2m1))
    refuse(Exit::usage, "quantize: no ", name_of(to.element), " with ", name_of(to.scaling),
           "; nv scales are of e2m1, mx scales of e4m3, e5m2, e2m3, e3m2 and e2m1");
  if (p.from == nullptr || to.data == nullptr || to.scales == nullptr)
    refuse(Exit::usage, "quantize: ",
           p.from == nullptr    ? "the source"
           : to.data == nullptr ? "the memory for codes"
                                : "the memory for scales",
           " is null");
  const std::int64_t from_stride = p.from_stride == 0 ? p.k : p.from_stride;
  if (from_stride < p.k || to.stride < p.k)
    refuse(Exit::usage, "quantize: lines hold ", p.k, " elements and are ", from_stride, " and ",
           to.stride, " apart");
  if (to.stride * bits_of(to.element) % 8 != 0)
    refuse(Exit::usage, "quantize: lines of ", name_of(to.element),
           " begin at whole bytes: ", to.stride, " elements are none; pad them");
  if (!(to.matrix_scale > 0) || to.matrix_scale > 0x1p126f)
    refuse(Exit::usage, "quantize: the factor of the matrix is ", to.matrix_scale,
           "; it must be positive");
  return {.from = p.from,
          .from_stride = from_stride,
          .codes = static_cast<std::uint8_t*>(const_cast<void*>(to.data)),
          .stride = to.stride,
          .element = to.element,
          .scales = static_cast<std::uint8_t*>(const_cast<void*>(to.scales)),
          .extent = {p.rows, p.k, to.scaling},
          .matrix_scale = to.matrix_scale};
}

template <class Body>
void with_source(Element element, Body body) {
  if (element == Element::f32) return body.template operator()<Element::f32>();
  if (element == Element::bf16) return body.template operator()<Element::bf16>();
  if (element == Element::f16) return body.template operator()<Element::f16>();
  refuse(Exit::usage, "quantize: from f32, bf16 and f16, not from ", name_of(element));
}

}  // namespace

void quantize(const QuantizeProblem& problem, cudaStream_t stream) {
  const QuantizeParams params = admitted_params(problem);
  const std::int64_t grid =
      (params.rows() * params.blocks() + quantize_threads - 1) / quantize_threads;
  if (grid > 0x7FFFFFFF)
    refuse(Exit::usage, "quantize: ", problem.rows, " x ", problem.k,
           " elements are more than one launch takes; cut the matrix");
  with_source(problem.from_element, [&]<Element from>() {
    quantize_rows<from><<<static_cast<unsigned>(grid), quantize_threads, 0, stream>>>(params);
  });
  check_cuda(cudaGetLastError(), "quantize");
}

float largest_magnitude(const QuantizeProblem& problem, cudaStream_t stream) {
  const std::int64_t stride = problem.from_stride == 0 ? problem.k : problem.from_stride;
  if (problem.from == nullptr || problem.rows < 1 || problem.k < 1 || stride < problem.k)
    refuse(Exit::usage, "largest_magnitude: ", problem.rows, " x ", problem.k, " elements, lines ",
           stride, " apart", problem.from == nullptr ? ", without data" : "");
  unsigned* found = nullptr;
  unsigned bits = 0;
  check_cuda(cudaMalloc(&found, sizeof bits), "largest_magnitude");
  check_cuda(cudaMemsetAsync(found, 0, sizeof bits, stream), "largest_magnitude");
  const auto blocks = static_cast<unsigned>(problem.rows < 1024 ? problem.rows : 1024);
  with_source(problem.from_element, [&]<Element from>() {
    largest_magnitude_of<from><<<blocks, quantize_threads, 0, stream>>>(
        static_cast<const Code<from>*>(problem.from), problem.rows, problem.k, stride, found);
  });
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t copied =
      cudaMemcpyAsync(&bits, found, sizeof bits, cudaMemcpyDeviceToHost, stream);
  const cudaError_t waited = cudaStreamSynchronize(stream);
  cudaFree(found);
  for (const cudaError_t error : {launched, copied, waited}) check_cuda(error, "largest_magnitude");
  return detail::float_of_bits(bits);
}

void quantize_on_host(const QuantizeProblem& problem) {
  const QuantizeParams params = admitted_params(problem);
  with_source(problem.from_element, [&]<Element from>() {
    for (std::int64_t row = 0; row < params.rows(); ++row)
      for (std::int64_t block = 0; block < params.blocks(); ++block)
        quantize_block<from>(params, row, block);
  });
}

}  // namespace aisp::tile::device
