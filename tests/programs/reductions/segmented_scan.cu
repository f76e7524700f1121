// A scan that begins again at every flag, and sums of ragged rows: pairs of flag and value under an
// associative operator, in a block with double buffers, blocks joined by a second kernel.
#include "check.hpp"

namespace {

constexpr int threads = 128;

struct Item {
  int flag;
  float value;
};
__device__ Item joined(Item left, Item right) {
  return {left.flag | right.flag, right.flag ? right.value : left.value + right.value};
}

__global__ void in_blocks(const int* flags, const float* in, float* out, Item* lasts, int count) {
  __shared__ Item items[2][threads];
  const int i = blockIdx.x * threads + threadIdx.x, t = threadIdx.x;
  items[0][t] = i < count ? Item{flags[i], in[i]} : Item{0, 0};
  __syncthreads();
  int from = 0;
  for (int step = 1; step < threads; step *= 2, from ^= 1) {
    items[from ^ 1][t] = t >= step ? joined(items[from][t - step], items[from][t]) : items[from][t];
    __syncthreads();
  }
  if (i < count) out[i] = items[from][t].value;
  if (t == threads - 1) lasts[blockIdx.x] = items[from][t];
}

__global__ void across_blocks(const int* flags, float* out, const Item* lasts, int count) {
  const int block = blockIdx.x + 1, i = block * threads + threadIdx.x;
  if (i >= count) return;
  for (int at = block * threads; at <= i; ++at)
    if (flags[at]) return;  // begins in this block
  Item before{0, 0};
  for (int at = 0; at < block; ++at) before = joined(before, lasts[at]);
  out[i] += before.value;
}

}  // namespace

int main() {
  constexpr int count = 1500;
  constexpr unsigned blocks = blocks_for(count, threads);
  const auto raw = numbers(count, 3);
  const auto values = reals(count, 4);
  std::vector<int> flags;
  for (int i = 0; i < count; ++i) flags.push_back(i == 0 || (raw[i] >> 8) % 90 == 0);
  const OnDevice<int> device_flags(flags);
  const OnDevice<float> in(values), out(count);
  const OnDevice<Item> lasts(blocks);
  in_blocks<<<blocks, threads>>>(device_flags.get(), in.get(), out.get(), lasts.get(), count);
  across_blocks<<<blocks - 1, threads>>>(device_flags.get(), out.get(), lasts.get(), count);
  finish();
  std::vector<double> want(count);
  for (int i = 0; i < count; ++i) want[i] = values[i] + (flags[i] ? 0 : want[i - 1]);
  expect_close(out.fetch(), want, 1e-4, "sums since the last flag");
  return passed();
}
