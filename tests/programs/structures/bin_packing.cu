// First fit for many orders of the same items at once: a warp tries an order, lanes hold the bins,
// a ballot finds the first that fits; the best order wins by a 64-bit atomicMin.
#include <algorithm>
#include <numeric>

#include "check.hpp"

namespace {

constexpr int items = 60, orders = 40, capacity = 100;

__global__ void pack(const int* sizes, const int* order_of, int* used, unsigned long long* best) {
  const int lane = threadIdx.x % 32, order = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (order >= orders) return;
  int low = capacity, high = capacity;  // bins `lane` and `lane + 32`
  for (int i = 0; i < items; ++i) {
    const int size = sizes[order_of[order * items + i]];
    const unsigned fits_low = __ballot_sync(~0u, low >= size),
                   fits_high = __ballot_sync(~0u, high >= size);
    if (fits_low) {
      if (lane == __ffs(static_cast<int>(fits_low)) - 1) low -= size;
    } else if (lane == __ffs(static_cast<int>(fits_high)) - 1) {
      high -= size;
    }
  }
  const int count =
      __popc(__ballot_sync(~0u, low < capacity)) + __popc(__ballot_sync(~0u, high < capacity));
  if (lane == 0) {
    used[order] = count;
    atomicMin(best, static_cast<unsigned long long>(count) << 32 | static_cast<unsigned>(order));
  }
}

}  // namespace

int main() {
  std::vector<int> sizes, order_of;
  for (const unsigned bits : numbers(items, 1)) sizes.push_back(5 + static_cast<int>(bits >> 26));
  const auto raw = numbers(orders * items, 2);
  for (int order = 0; order < orders; ++order) {
    std::vector<int> own(items);
    std::iota(own.begin(), own.end(), 0);
    for (int i = items - 1; i > 0; --i)
      std::swap(own[i], own[(raw[order * items + i] >> 8) % (i + 1)]);
    order_of.insert(order_of.end(), own.begin(), own.end());
  }
  const OnDevice<int> device_sizes(sizes), device_orders(order_of), used(orders);
  const OnDevice<unsigned long long> best(1);  // all ones: more than any
  pack<<<blocks_for(orders, 3), 96>>>(device_sizes.get(), device_orders.get(), used.get(),
                                      best.get());
  finish();
  std::vector<int> want;
  for (int order = 0; order < orders; ++order) {
    std::vector<int> bins;
    for (int i = 0; i < items; ++i) {
      const int size = sizes[order_of[order * items + i]];
      const auto first =
          std::find_if(bins.begin(), bins.end(), [&](int left) { return left >= size; });
      if (first == bins.end())
        bins.push_back(capacity - size);
      else
        *first -= size;
    }
    want.push_back(static_cast<int>(bins.size()));
  }
  expect_equal(used.fetch(), want, "bins of each order");
  const auto least = std::min_element(want.begin(), want.end());
  const auto packed = best.fetch()[0];
  expect(static_cast<int>(packed >> 32) == *least &&
             static_cast<int>(packed & 0xffffffffu) == least - want.begin(),
         "the first of the best");
  return passed();
}
