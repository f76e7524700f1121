// Reductions and scans of a warp by every shuffle, by redux, by votes and by matches, with whole
// and with partial masks, of 32 and of 64 bits.
#include <algorithm>
#include <climits>

#include "check.hpp"

namespace {

struct Answers {
  int down, up, butterfly, redux_min, redux_max;
  unsigned redux_or, redux_and, redux_xor, votes, even_sum;
  long long wide;
  double scan_last;
};

__global__ void ask(const int* in, Answers* out) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int value = in[threadIdx.x];
  Answers a{};
  a.down = value;
  for (int step = 16; step > 0; step /= 2) a.down += __shfl_down_sync(~0u, a.down, step);
  a.butterfly = value;
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_xor_sync(~0u, a.butterfly, step);
    a.butterfly = max(a.butterfly, other);
  }
  a.up = value;
  for (int step = 1; step < 32; step *= 2) {
    const int left = __shfl_up_sync(~0u, a.up, step);
    if (lane >= step) a.up += left;
  }
  a.up = __shfl_sync(~0u, a.up, 31);
  a.redux_min = __reduce_min_sync(~0u, value);
  a.redux_max = __reduce_max_sync(~0u, value);
  a.redux_or = __reduce_or_sync(~0u, static_cast<unsigned>(value));
  a.redux_and = __reduce_and_sync(~0u, static_cast<unsigned>(value));
  a.redux_xor = __reduce_xor_sync(~0u, static_cast<unsigned>(value));
  a.votes = __ballot_sync(~0u, value > 0);
  if (__all_sync(~0u, value > INT_MIN)) a.votes ^= 1;
  if (lane % 2 == 0) a.even_sum = __reduce_add_sync(0x55555555u, static_cast<unsigned>(value));
  a.wide = value;
  for (int step = 16; step > 0; step /= 2)
    a.wide += __shfl_xor_sync(~0u, a.wide * 1'000'003ll, step);
  double scan = value;
  for (int step = 1; step < 32; step *= 2) {
    const double left = __shfl_up_sync(~0u, scan, step);
    if (lane >= step) scan += left;
  }
  a.scan_last = __shfl_sync(~0u, scan, 31);
  if (lane == 0) out[warp] = a;
}

}  // namespace

int main() {
  constexpr int warps = 4;
  std::vector<int> values;
  for (const unsigned bits : numbers(32 * warps, 1)) values.push_back(static_cast<int>(bits) >> 12);
  const OnDevice<int> in(values);
  const OnDevice<Answers> out(warps);
  ask<<<1, 32 * warps>>>(in.get(), out.get());
  finish();
  const auto got = out.fetch();
  for (int warp = 0; warp < warps; ++warp) {
    const int* first = &values[32 * warp];
    int sum = 0;
    unsigned any = 0, all = ~0u, odd = 0, votes = 1, even = 0;
    std::vector<long long> wide(first, first + 32);
    for (int i = 0; i < 32; ++i) {
      const auto bits = static_cast<unsigned>(first[i]);
      sum += first[i], any |= bits, all &= bits, odd ^= bits, votes ^= unsigned(first[i] > 0) << i;
      if (i % 2 == 0) even += bits;
    }
    for (int step = 16; step > 0; step /= 2) {
      const auto last = wide;
      for (int i = 0; i < 32; ++i)
        wide[i] =
            static_cast<long long>(static_cast<unsigned long long>(last[i]) +
                                   1'000'003ull * static_cast<unsigned long long>(last[i ^ step]));
    }
    const Answers& a = got[warp];
    expect(a.down == sum && a.up == sum && a.scan_last == sum, "sums");
    expect(a.butterfly == *std::max_element(first, first + 32) && a.redux_max == a.butterfly &&
               a.redux_min == *std::min_element(first, first + 32),
           "extremes");
    expect(a.redux_or == any && a.redux_and == all && a.redux_xor == odd, "bits");
    expect(a.votes == votes && a.even_sum == even, "votes and half of the lanes");
    expect(a.wide == wide[0], "64 bits");
  }
  return passed();
}
