// hazard: none
// Read-only loads beside writes: of inputs that only lie in the same array, of what the kernel
// before wrote, and of bytes that the block itself has not written.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, blocks = 4, count = threads * blocks;

// Even cells are inputs, odd ones outputs, side by side.
__global__ void interleaved(int* cells) {
  const int at = blockIdx.x * threads + threadIdx.x;
  cells[2 * at + 1] = __ldg(cells + 2 * (count - 1 - at)) + 1;
}

__global__ void copy(const int* __restrict__ from, int* __restrict__ to) {
  const int at = blockIdx.x * threads + threadIdx.x;
  to[at] = from[2 * (count - 1 - at) + 1];
}

bool run() {
  std::vector<int> start(2 * count, -1);
  for (int i = 0; i < count; ++i) start[2 * i] = i;
  const hazard::Array<int> cells(start), out(count);
  interleaved<<<blocks, threads>>>(cells.get());
  copy<<<blocks, threads>>>(cells.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
