// hazard: uninitialised
// options: --uninitialised
// The last tile is only partly filled, the rest of it is summed all the same. Shared memory has no
// defined contents at the start of a block (programming guide, '__shared__').
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, count = 60;

template <bool fixed>
// example begin: uninitialised
__global__ void sum_tile(const int* in, int* out) {
  __shared__ int tile[threads];
  const int thread = threadIdx.x;
  if (thread < count)
    tile[thread] = in[thread];
  else if constexpr (fixed)
    tile[thread] = 0;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < threads; ++i) sum += tile[i];
  out[thread] = sum;
}
// example end

template <bool fixed>
bool run() {
  hazard::Array<int> in(std::vector<int>(count, 3)), out(threads);
  sum_tile<fixed><<<1, threads>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int) { return 3 * count; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
