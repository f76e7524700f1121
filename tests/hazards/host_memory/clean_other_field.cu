// hazard: none
// While a kernel writes two fields of a structure in managed memory, the host uses the third.
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

bool run() {
  Totals* totals = nullptr;
  host::check(cudaMallocManaged(&totals, sizeof(Totals)));
  totals->sum = totals->largest = totals->spare = 5;
  add_up<<<1, 32>>>(totals);
  totals->spare += 1;
  const int spare = totals->spare;
  hazard::finish();
  const bool right = spare == 6 && totals->sum == 496 && totals->largest == 31;
  host::check(cudaFree(totals));
  return right;
}

const hazard::Program program(__FILE__, run);

}  // namespace
