// Kernels that do one thing to a matrix in memory, eight neighbours of a row per thread and step:
// what an epilogue costs where it is not fused.
#pragma once

#include "lab/case/rung.hpp"
#include "tile/arch/target.cuh"
#include "tile/atom/convert.hpp"

namespace aisp::ch10 {

using tile::Element;

inline constexpr int pass_threads = 256, pass_width = 8;

// Eight neighbours, as floats. N is a multiple of 8: they lie in one row and are aligned.
struct Eight {
  float at[pass_width];
};

template <Element element>
struct alignas(pass_width* tile::bytes_of(element) < 16 ? 8 : 16) EightCodes {
  tile::PairCode<element> at[pass_width / 2];
};

template <Element element>
TILE_DEVICE Eight load_eight(const void* matrix, std::int64_t index) {
  const auto codes = reinterpret_cast<const EightCodes<element>*>(matrix)[index / pass_width];
  Eight eight;
#pragma unroll
  for (int i = 0; i < pass_width / 2; ++i) {
    const auto pair = tile::decode_pair<element>(codes.at[i]);
    eight.at[2 * i] = pair.first;
    eight.at[2 * i + 1] = pair.second;
  }
  return eight;
}

template <Element element>
TILE_DEVICE void store_eight(void* matrix, std::int64_t index, const Eight& eight) {
  EightCodes<element> codes;
#pragma unroll
  for (int i = 0; i < pass_width / 2; ++i)
    codes.at[i] = tile::encode_pair<element>(eight.at[2 * i], eight.at[2 * i + 1]);
  reinterpret_cast<EightCodes<element>*>(matrix)[index / pass_width] = codes;
}

template <class Function>
TILE_DEVICE void for_each_of(Eight& eight, Function function) {
#pragma unroll
  for (int i = 0; i < pass_width; ++i) eight.at[i] = function(eight.at[i], i);
}

TILE_DEVICE float silu(float v) { return v / (1 + __expf(-v)); }

TILE_DEVICE Eight silu(Eight eight) {
  for_each_of(eight, [](float v, int) { return silu(v); });
  return eight;
}
TILE_DEVICE Eight plus_bias(Eight eight, const float* bias, int column) {
  const Eight of_columns = load_eight<Element::f32>(bias, column);
  for_each_of(eight, [&](float v, int i) { return v + of_columns.at[i]; });
  return eight;
}
TILE_DEVICE Eight times(Eight eight, float scale) {
  for_each_of(eight, [&](float v, int) { return v * scale; });
  return eight;
}

// The largest magnitude so far. As unsigned integers the bits of magnitudes are in their order, NaN
// above infinity.
struct Largest {
  unsigned bits = 0;

  TILE_DEVICE void see(const Eight& eight) {
#pragma unroll
    for (float value : eight.at) bits = max(bits, __float_as_uint(fabsf(value)));
  }
  // By all threads of a block: one atomic for the block. `amax` holds 0 before the launch.
  TILE_DEVICE void publish(float* amax) const {
    __shared__ unsigned of_warp[pass_threads / 32];
    const unsigned of_mine = __reduce_max_sync(0xffffffff, bits);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = of_mine;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    const unsigned all =
        __reduce_max_sync(0xffffffff, threadIdx.x < pass_threads / 32 ? of_warp[threadIdx.x] : 0);
    if (threadIdx.x == 0) atomicMax(reinterpret_cast<unsigned*>(amax), all);
  }
};

// Pass::step(index, column, largest) for every eight elements; amax where the pass has one.
template <class Pass>
__global__ void __launch_bounds__(pass_threads)
    matrix_pass(const __grid_constant__ Pass pass, int m, int n) {
  const int column =
      (static_cast<int>(blockIdx.x) * pass_threads + static_cast<int>(threadIdx.x)) * pass_width;
  Largest largest;
  if (column < n)
    for (int row = static_cast<int>(blockIdx.y); row < m; row += static_cast<int>(gridDim.y))
      pass.step(static_cast<std::int64_t>(row) * n + column, column, largest);
  if constexpr (requires { pass.amax; }) largest.publish(pass.amax);
}

// As many blocks as fill the device a few times; each walks down its columns.
class PassLauncher {
 public:
  PassLauncher(const lab::Problem& problem, int multiprocessors)
      : m_(static_cast<int>(problem.size.dims.at(0))),
        n_(static_cast<int>(problem.size.dims.at(1))) {
    const int across = (n_ + pass_threads * pass_width - 1) / (pass_threads * pass_width);
    const int down = (16 * multiprocessors + across - 1) / across;
    grid_ = dim3(static_cast<unsigned>(across), static_cast<unsigned>(down < m_ ? down : m_));
  }

  template <class Pass>
  void operator()(const Pass& pass, cudaStream_t stream) const {
    if constexpr (requires { pass.amax; })
      lab::check_cuda(cudaMemsetAsync(pass.amax, 0, sizeof(float), stream), "amax = 0");
    matrix_pass<<<grid_, pass_threads, 0, stream>>>(pass, m_, n_);
    lab::check_cuda(cudaGetLastError(), "matrix_pass");
  }

 private:
  int m_, n_;
  dim3 grid_;
};

}  // namespace aisp::ch10
