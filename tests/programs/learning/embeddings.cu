// Rows gathered by an index, their gradients scattered back with atomics of pairs of halves and of
// float4, and a rotary embedding with sincosf on the way.
#include <cuda_fp16.h>

#include "check.hpp"

namespace {

constexpr int words = 50, width = 64, tokens = 120;

__global__ void gather(const float4* table, const int* ids, float4* out) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= tokens) return;
  out[token * (width / 4) + threadIdx.x] = __ldg(&table[ids[token] * (width / 4) + threadIdx.x]);
}

__global__ void rotate(float2* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= tokens * width / 2) return;
  const int token = i / (width / 2), pair = i % (width / 2);
  float sine, cosine;
  sincosf(static_cast<float>(token) * powf(100.0f, -2.0f * static_cast<float>(pair) / width), &sine,
          &cosine);
  const float2 value = data[i];
  data[i] = make_float2(value.x * cosine - value.y * sine, value.x * sine + value.y * cosine);
}

__global__ void scatter(const float4* gradient, const int* ids, float4* table, __half2* halves) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= tokens) return;
  const float4 value = gradient[token * (width / 4) + threadIdx.x];
  atomicAdd(&table[ids[token] * (width / 4) + threadIdx.x], value);
  __half2* to = &halves[(ids[token] * width + threadIdx.x * 4) / 2];
  atomicAdd(to, __floats2half2_rn(value.x, value.y));
  atomicAdd(to + 1, __floats2half2_rn(value.z, value.w));
}

}  // namespace

int main() {
  const auto table = reals(words * width, 1);
  std::vector<int> ids;
  for (const unsigned bits : numbers(tokens, 2))
    ids.push_back(static_cast<int>((bits >> 10) % words));
  // Gradients are small whole numbers of 1/8: sums of halves are exact.
  std::vector<float> gradient;
  for (const unsigned bits : numbers(tokens * width, 3))
    gradient.push_back(static_cast<float>(static_cast<int>(bits) >> 27) / 8);
  const OnDevice<float> device_table(table), out(tokens * width), device_gradient(gradient),
      sums(std::vector<float>(words * width, 0));
  const OnDevice<int> device_ids(ids);
  const OnDevice<__half> halves(std::vector<__half>(words * width, __half(0.0f)));
  const dim3 block(width / 4, 8);
  gather<<<blocks_for(tokens, 8), block>>>(reinterpret_cast<const float4*>(device_table.get()),
                                           device_ids.get(), reinterpret_cast<float4*>(out.get()));
  rotate<<<blocks_for(tokens * width / 2, 128), 128>>>(reinterpret_cast<float2*>(out.get()));
  scatter<<<blocks_for(tokens, 8), block>>>(reinterpret_cast<const float4*>(device_gradient.get()),
                                            device_ids.get(), reinterpret_cast<float4*>(sums.get()),
                                            reinterpret_cast<__half2*>(halves.get()));
  finish();
  std::vector<double> want(tokens * width), totals(words * width);
  for (int token = 0; token < tokens; ++token)
    for (int i = 0; i < width; i += 2) {
      const double angle = token * std::pow(100.0, -double(i) / width);
      const double x = table[ids[token] * width + i], y = table[ids[token] * width + i + 1];
      want[token * width + i] = x * std::cos(angle) - y * std::sin(angle);
      want[token * width + i + 1] = x * std::sin(angle) + y * std::cos(angle);
    }
  expect_close(out.fetch(), want, 1e-4, "gathered and turned");  // angles up to 120 in f32
  for (int i = 0; i < tokens * width; ++i)
    totals[ids[i / width] * width + i % width] += gradient[i];
  expect_close(sums.fetch(), totals, 0, "scattered");
  std::vector<float> narrow;
  for (const __half value : halves.fetch()) narrow.push_back(float(value));
  expect_close(narrow, totals, 0, "scattered in halves");
  return passed();
}
