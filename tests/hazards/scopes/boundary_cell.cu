// hazard: global-race
// A stencil in place: each block writes its cells and reads the last cell of the block before it in
// the same launch. Blocks of one launch are unordered; two launches are not.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, blocks = 4;

__device__ void add_left(const int* cells, int* sums) {
  const int at = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  sums[at] = cells[at] + (at > 0 ? cells[at - 1] : 0);
}

__global__ void fill(int* cells) { cells[blockIdx.x * threads + threadIdx.x] = threadIdx.x + 1; }

__global__ void sum(const int* cells, int* sums) { add_left(cells, sums); }

__global__ void fill_and_sum(int* cells, int* sums) {
  cells[blockIdx.x * threads + threadIdx.x] = threadIdx.x + 1;
  __syncthreads();  // orders this block only
  add_left(cells, sums);
}

template <bool fixed>
bool run() {
  hazard::Array<int> cells(threads * blocks), sums(threads * blocks);
  if constexpr (fixed) {
    fill<<<blocks, threads>>>(cells.get());
    sum<<<blocks, threads>>>(cells.get(), sums.get());
  } else {
    fill_and_sum<<<blocks, threads>>>(cells.get(), sums.get());
  }
  hazard::finish();
  return sums.holds([](int i) { return i % threads + 1 + (i > 0 ? (i - 1) % threads + 1 : 0); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
