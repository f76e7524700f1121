// hazard: none
// options: --uninitialised
// One piece of shared memory, written 16 bytes a lane, read as words and bytes by other lanes of
// the warp, then used for another type by the whole block. Threads store neighbouring bytes.
#include "tests/hazards/hazard.hpp"

namespace {

__global__ void widths(int* out) {
  __shared__ alignas(16) unsigned char memory[1024];
  const int thread = threadIdx.x, lane = thread % 32, first = thread / 32 * 512;
  reinterpret_cast<int4*>(memory + first)[lane] = make_int4(lane, lane + 1, lane + 2, lane + 3);
  __syncwarp();
  int sum = reinterpret_cast<int*>(memory + first)[lane + 64] + memory[first + lane * 16 + 4];
  __syncthreads();
  memory[thread] = static_cast<unsigned char>(thread);
  reinterpret_cast<unsigned short*>(memory + 64)[thread] = static_cast<unsigned short>(thread * 3);
  __syncthreads();
  sum += memory[63 - thread] + reinterpret_cast<unsigned short*>(memory + 64)[thread ^ 1];
  out[thread] = sum;
}

bool run() {
  hazard::Array<int> out(64);
  widths<<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) {
    const int lane = i % 32, word = lane + 64;
    return word / 4 + word % 4 + lane + 1 + 63 - i + (i ^ 1) * 3;
  });
}

const hazard::Program program(__FILE__, run);

}  // namespace
