// hazard: host-race
// The kernel finds the managed memory in a structure that it is given by value.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

struct Work {
  int count;
  int* values;
  int factor;
};

__global__ void scale(Work work) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < work.count) work.values[i] *= work.factor;
}

template <bool fixed>
bool run() {
  const host::Stream stream;
  const reachable::Managed memory;
  const Work work{host::count, memory.device(), 3};
  scale<<<host::grid, host::block, 0, stream>>>(work);
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  const long seen = reachable::sum(memory.values);
  hazard::finish();
  return seen == 3 * reachable::sum_of_numbers;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
