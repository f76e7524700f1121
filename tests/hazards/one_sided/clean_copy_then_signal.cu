// hazard: none
// options: --device h200,sms=4,gpus=2
// A copy to the other device and behind it, in the same stream, a kernel that signals; the other
// device's kernel waits and reads what was copied.
#include "tests/hazards/one_sided/ranks.cuh"

namespace {

__global__ void fill(ranks::Memory* own) {
  own->data[0][threadIdx.x] = 3 * static_cast<int>(threadIdx.x);
}
__global__ void tell(ranks::Memory* other) { ranks::signal(&other->flag[0], 1); }
__global__ void take_copied(ranks::Memory* own) {
  if (threadIdx.x == 0) ranks::await(&own->flag[0], 1);
  __syncthreads();
  own->out[threadIdx.x] = own->data[0][threadIdx.x] + 1;
}

bool run() {
  const ranks::Pair pair(ranks::Where::two_devices);
  pair.use(0);
  fill<<<1, ranks::threads, 0, pair.stream(0)>>>(pair[0]);
  hazard::require(cudaMemcpyPeerAsync(pair[1]->data[0], 1, pair[0]->data[0], 0,
                                      sizeof pair[0]->data[0], pair.stream(0)),
                  "cudaMemcpyPeerAsync");
  tell<<<1, 1, 0, pair.stream(0)>>>(pair[1]);
  pair.use(1);
  take_copied<<<1, ranks::threads, 0, pair.stream(1)>>>(pair[1]);
  pair.finish();
  return pair.holds(1, [](int i) { return 3 * i + 1; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
