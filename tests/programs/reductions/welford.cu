// Mean and variance of rows in one pass: every thread runs Welford's update, warps and blocks join
// their counts, means and squares, and the largest element with its place travels in 64 bits.
#include "check.hpp"

namespace {

constexpr int threads = 96, width = 1000, rows = 9;

struct Moments {
  float count, mean, squares;
};
__device__ Moments joined(Moments a, Moments b) {
  const float count = a.count + b.count;
  if (count == 0) return a;
  const float apart = b.mean - a.mean;
  return {count, a.mean + apart * b.count / count,
          a.squares + b.squares + apart * apart * a.count * b.count / count};
}
__device__ unsigned long long key_of(float value, int place) {
  const unsigned bits = __float_as_uint(value);
  const unsigned ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return static_cast<unsigned long long>(ordered) << 32 | static_cast<unsigned>(place);
}

__global__ void statistics(const float* in, float2* moments, int* largest) {
  __shared__ Moments parts[threads / 32];
  __shared__ unsigned long long most;
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  Moments own{0, 0, 0};
  for (int i = threadIdx.x; i < width; i += threads) {
    const float value = in[blockIdx.x * width + i];
    own.count += 1;
    const float apart = value - own.mean;
    own.mean += apart / own.count;
    own.squares += apart * (value - own.mean);
    atomicMax(&most, key_of(value, i));
  }
  for (int step = 16; step > 0; step /= 2)
    own =
        joined(own, {__shfl_down_sync(~0u, own.count, step), __shfl_down_sync(~0u, own.mean, step),
                     __shfl_down_sync(~0u, own.squares, step)});
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < threads / 32; ++warp) own = joined(own, parts[warp]);
  moments[blockIdx.x] = make_float2(own.mean, own.squares / own.count);
  largest[blockIdx.x] = static_cast<int>(most & 0xffffffffu);
}

}  // namespace

int main() {
  const auto values = reals(rows * width, 6, 1000, 1001);  // far from zero: squares would cancel
  const OnDevice<float> in(values);
  const OnDevice<float2> moments(rows);
  const OnDevice<int> largest(rows);
  statistics<<<rows, threads>>>(in.get(), moments.get(), largest.get());
  finish();
  const auto got = moments.fetch();
  const auto places = largest.fetch();
  for (int row = 0; row < rows; ++row) {
    const float* first = &values[row * width];
    double mean = 0, variance = 0;
    float most = first[0];
    for (int i = 0; i < width; ++i)
      mean += first[i] / double(width), most = std::max(most, first[i]);
    for (int i = 0; i < width; ++i) variance += (first[i] - mean) * (first[i] - mean) / width;
    expect(std::abs(got[row].x - mean) < 2e-3 && std::abs(got[row].y - variance) < 1e-4, "moments");
    expect(first[places[row]] == most, "the largest");
  }
  return passed();
}
