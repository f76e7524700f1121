// hazard: host-race
// A kernel writes two fields of a structure in managed memory. The host may read the third, but
// not these before it has waited.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

struct Totals {
  int sum, largest, spare;
};

__global__ void add_up(Totals* totals) {
  const int value = static_cast<int>(threadIdx.x);
  const int sum = __reduce_add_sync(0xffffffffu, value);
  const int largest = __reduce_max_sync(0xffffffffu, value);
  if (threadIdx.x == 0) totals->sum = sum;
  if (threadIdx.x == 1) totals->largest = largest;
}

template <bool fixed>
bool run() {
  Totals* totals = nullptr;
  host::check(cudaMallocManaged(&totals, sizeof(Totals)));
  totals->sum = totals->largest = totals->spare = 5;
  add_up<<<1, 32>>>(totals);
  if constexpr (fixed) host::check(cudaDeviceSynchronize());
  const int seen = totals->largest;
  hazard::finish();
  host::check(cudaFree(totals));
  return seen == 31;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
