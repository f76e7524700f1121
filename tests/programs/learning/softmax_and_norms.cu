// Softmax in one pass over a row, layer norm and RMS norm in bf16 with f32 sums, GELU, and a
// residual added on the way; vectors of eight elements, rows of odd numbers of vectors.
#include <cuda_bf16.h>

#include "check.hpp"

namespace {

using bf16 = __nv_bfloat16;
constexpr int threads = 64;

template <class Join>
__device__ float over_block(float value, const Join& join) {
  __shared__ float parts[threads / 32];
  for (int step = 16; step > 0; step /= 2) value = join(value, __shfl_xor_sync(~0u, value, step));
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = parts[0];
  for (int i = 1; i < threads / 32; ++i) value = join(value, parts[i]);
  return value;
}
__device__ float sum_of(float value) {
  return over_block(value, [](float a, float b) { return a + b; });
}

__global__ void softmax(const float* in, float* out, int width) {
  const float* row = in + blockIdx.x * width;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < width; i += threads) {
    const float next = fmaxf(most, row[i]);
    sum = sum * __expf(most - next) + __expf(row[i] - next);
    most = next;
  }
  const float largest = over_block(most, [](float a, float b) { return fmaxf(a, b); });
  sum = sum_of(most == -INFINITY ? 0 : sum * __expf(most - largest));
  for (int i = threadIdx.x; i < width; i += threads)
    out[blockIdx.x * width + i] = __expf(row[i] - largest) / sum;
}

// Eight at a time, kept in registers between the two passes: rows up to 8 * threads * 2.
__global__ void layer_norm(const uint4* in, const uint4* residual, const float* gain,
                           const float* bias, uint4* out, int vectors) {
  float held[2][8], sum = 0;
  int mine = 0;
  for (int v = threadIdx.x; v < vectors; v += threads, ++mine) {
    const uint4 a = in[blockIdx.x * vectors + v], b = residual[blockIdx.x * vectors + v];
    const auto *pa = reinterpret_cast<const __nv_bfloat162*>(&a),
               *pb = reinterpret_cast<const __nv_bfloat162*>(&b);
    for (int i = 0; i < 4; ++i) {
      const float2 x = __bfloat1622float2(pa[i]), y = __bfloat1622float2(pb[i]);
      held[mine][2 * i] = x.x + y.x, held[mine][2 * i + 1] = x.y + y.y;
      sum += x.x + y.x + x.y + y.y;
    }
  }
  const float width = static_cast<float>(8 * vectors), mean = sum_of(sum) / width;
  float squares = 0;
  for (int j = 0; j < mine; ++j)
    for (const float value : held[j]) squares += (value - mean) * (value - mean);
  const float scale = rsqrtf(sum_of(squares) / width + 1e-5f);
  mine = 0;
  for (int v = threadIdx.x; v < vectors; v += threads, ++mine) {
    uint4 result;
    auto* pairs = reinterpret_cast<__nv_bfloat162*>(&result);
    for (int i = 0; i < 4; ++i) {
      const int at = 8 * v + 2 * i;
      float2 value =
          make_float2((held[mine][2 * i] - mean) * scale * gain[at] + bias[at],
                      (held[mine][2 * i + 1] - mean) * scale * gain[at + 1] + bias[at + 1]);
      value.x *= normcdff(value.x), value.y *= normcdff(value.y);  // GELU
      pairs[i] = __float22bfloat162_rn(value);
    }
    out[blockIdx.x * vectors + v] = result;
  }
}

}  // namespace

int main() {
  constexpr int rows = 5, width = 333;
  auto values = reals(rows * width, 1, -20, 20);
  const OnDevice<float> in(values), out(values.size());
  softmax<<<rows, threads>>>(in.get(), out.get(), width);
  finish();
  std::vector<double> want(values.size());
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < width; ++i) sum += std::exp(double(values[row * width + i]));
    for (int i = 0; i < width; ++i)
      want[row * width + i] = std::exp(double(values[row * width + i])) / sum;
  }
  expect_close(out.fetch(), want, 1e-5, "softmax");

  constexpr int vectors = 75, columns = 8 * vectors;
  const auto raw = reals(rows * columns, 2), other = reals(rows * columns, 3),
             gain = reals(columns, 4), bias = reals(columns, 5);
  std::vector<bf16> x(raw.begin(), raw.end()), residual(other.begin(), other.end());
  const OnDevice<bf16> device_x(x), device_residual(residual), normed(x.size());
  const OnDevice<float> device_gain(gain), device_bias(bias);
  layer_norm<<<rows, threads>>>(reinterpret_cast<const uint4*>(device_x.get()),
                                reinterpret_cast<const uint4*>(device_residual.get()),
                                device_gain.get(), device_bias.get(),
                                reinterpret_cast<uint4*>(normed.get()), vectors);
  finish();
  const auto got = normed.fetch();
  for (int row = 0; row < rows; ++row) {
    double mean = 0, variance = 0;
    const auto at = [&](int i) {
      return double(float(x[row * columns + i])) + float(residual[row * columns + i]);
    };
    for (int i = 0; i < columns; ++i) mean += at(i) / columns;
    for (int i = 0; i < columns; ++i) variance += (at(i) - mean) * (at(i) - mean) / columns;
    for (int i = 0; i < columns; ++i) {
      const double value = (at(i) - mean) / std::sqrt(variance + 1e-5) * gain[i] + bias[i];
      const double gelu = value * 0.5 * std::erfc(-value / std::sqrt(2.0));
      expect(std::abs(float(got[row * columns + i]) - gelu) <= std::abs(gelu) * 0x1p-8 + 1e-5,
             "norm and GELU");
    }
  }
  return passed();
}
