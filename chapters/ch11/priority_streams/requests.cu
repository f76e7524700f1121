#include "chapters/ch11/priority_streams/requests.hpp"

#include "lab/case/rung.hpp"

using namespace aisp;

namespace {

constexpr int blocks = 8, warps = 8, lanes = 32;
constexpr int rows_of_warp = ch11::request_rows / (blocks * warps);

// A warp per row, a few rows one after another.
__global__ void __launch_bounds__(warps* lanes)
    answer_request(const float* __restrict__ w, const float* __restrict__ x,
                   float* __restrict__ y) {
  const int warp = static_cast<int>(threadIdx.x) / lanes,
            lane = static_cast<int>(threadIdx.x) % lanes;
  const int first = (static_cast<int>(blockIdx.x) * warps + warp) * rows_of_warp;
  for (int row = first; row < first + rows_of_warp; ++row) {
    float sum = 0;
    for (int column = lane; column < ch11::request_columns; column += lanes)
      sum = fmaf(w[row * ch11::request_columns + column], x[column], sum);
    for (int away = lanes / 2; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, away);
    if (lane == 0) y[row] = sum;
  }
}

}  // namespace

void ch11::enqueue_request(const float* w, const float* x, float* y, cudaStream_t stream) {
  answer_request<<<blocks, warps * lanes, 0, stream>>>(w, x, y);
  lab::check_cuda(cudaGetLastError(), "launch of answer_request");
}
