// seeds: 20
// Thrust: transform, reduce, sort by key, scan by key, on device vectors.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <numeric>

#include "check.hpp"

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

int main() {
  constexpr int count = 5'003;
  const auto raw = numbers(count, 11);
  std::vector<float> values(count);
  std::transform(raw.begin(), raw.end(), values.begin(),
                 [](unsigned bits) { return static_cast<float>(bits % 1000); });

  thrust::device_vector<float> device(values.begin(), values.end()), squared(count);
  thrust::transform(device.begin(), device.end(), squared.begin(), Square{});
  const double sum = thrust::reduce(squared.begin(), squared.end(), 0.0, thrust::plus<double>());
  const double want = std::accumulate(values.begin(), values.end(), 0.0,
                                      [](double s, float x) { return s + double(x) * x; });
  expect(sum == want, "transform and reduce");  // integers: exact in double

  thrust::device_vector<unsigned> keys(raw.begin(), raw.end());
  thrust::device_vector<int> order(count);
  thrust::sequence(order.begin(), order.end());
  thrust::sort_by_key(keys.begin(), keys.end(), order.begin());
  std::vector<int> sorted(count);
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return raw[a] < raw[b]; });
  std::vector<int> got(count);
  thrust::copy(order.begin(), order.end(), got.begin());
  expect(got == sorted, "sort_by_key");

  thrust::device_vector<int> groups(count), ones(count, 1), running(count);
  for (int i = 0; i < 8; ++i)
    thrust::fill(groups.begin() + i * count / 8, groups.begin() + (i + 1) * count / 8, i);
  thrust::inclusive_scan_by_key(groups.begin(), groups.end(), ones.begin(), running.begin());
  std::vector<int> counts(count);
  thrust::copy(running.begin(), running.end(), counts.begin());
  for (int i = 0, start = 0; i < count; ++i) {
    if (i > 0 && i * 8 / count != (i - 1) * 8 / count) start = i;
    // The group of i is the last whose first index is not behind it.
    int first = start;
    for (int g = 0; g < 8; ++g)
      if (g * count / 8 <= i) first = g * count / 8;
    expect(counts[i] == i - first + 1, "inclusive_scan_by_key");
  }
  std::puts("ok");
}
