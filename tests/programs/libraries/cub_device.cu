// seeds: 20
// CUB's device-wide algorithms: reduce, scan, radix sort, select, run-length encode.
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>

#include "check.hpp"

namespace {

constexpr int count = 20'011;  // several tiles, the last one ragged

// CUB asks for scratch memory in a first call.
template <class Call>
void with_scratch(const Call& call) {
  std::size_t bytes = 0;
  CHECK(call(nullptr, bytes));
  OnDevice<char> scratch(std::max<std::size_t>(bytes, 1));
  CHECK(call(scratch.get(), bytes));
  CHECK(cudaDeviceSynchronize());
}

struct IsOdd {
  __device__ bool operator()(unsigned value) const { return value % 2 != 0; }
};

}  // namespace

int main() {
  const auto values = numbers(count, 7);
  const OnDevice<unsigned> in(values);
  OnDevice<unsigned> out(count), one(1);

  with_scratch([&](void* s, std::size_t& n) {
    return cub::DeviceReduce::Sum(s, n, in.get(), one.get(), count);
  });
  expect(one.fetch()[0] == std::accumulate(values.begin(), values.end(), 0u), "DeviceReduce::Sum");
  with_scratch([&](void* s, std::size_t& n) {
    return cub::DeviceReduce::Max(s, n, in.get(), one.get(), count);
  });
  expect(one.fetch()[0] == *std::max_element(values.begin(), values.end()), "DeviceReduce::Max");

  with_scratch([&](void* s, std::size_t& n) {
    return cub::DeviceScan::ExclusiveSum(s, n, in.get(), out.get(), count);
  });
  std::vector<unsigned> want(count);
  std::exclusive_scan(values.begin(), values.end(), want.begin(), 0u);
  expect(out.fetch() == want, "DeviceScan::ExclusiveSum");

  with_scratch([&](void* s, std::size_t& n) {
    return cub::DeviceRadixSort::SortKeys(s, n, in.get(), out.get(), count);
  });
  want = values;
  std::sort(want.begin(), want.end());
  expect(out.fetch() == want, "DeviceRadixSort::SortKeys");

  OnDevice<int> selected(1);
  with_scratch([&](void* s, std::size_t& n) {
    return cub::DeviceSelect::If(s, n, in.get(), out.get(), selected.get(), count, IsOdd{});
  });
  want.clear();
  std::copy_if(values.begin(), values.end(), std::back_inserter(want),
               [](unsigned value) { return value % 2 != 0; });
  auto got = out.fetch();
  expect(selected.fetch()[0] == static_cast<int>(want.size()), "DeviceSelect::If count");
  expect(std::equal(want.begin(), want.end(), got.begin()), "DeviceSelect::If");
  std::puts("ok");
}
