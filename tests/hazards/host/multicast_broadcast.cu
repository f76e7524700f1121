// hazard: stream-race
// options: --device h200,sms=4,gpus=2
// One device broadcasts through a multicast address; the other reads its own memory, which that
// writes, without having waited for it.
#include "tests/hazards/host/streams.cuh"
#include "tests/hazards/multicast.cuh"

namespace {

__global__ void broadcast(int* all) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("multimem.st.global.u32 [%0], %1;" ::"l"(all + i), "r"(i + 5) : "memory");
}
__global__ void read(const int* own, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = own[i];
}

template <bool fixed>
bool run() {
  const multicast::Team team;
  host::check(cudaSetDevice(0));
  const host::Stream first;
  broadcast<<<host::grid, host::block, 0, first>>>(reinterpret_cast<int*>(team.all));
  host::check(cudaGetLastError());
  const host::Event done;
  if constexpr (fixed) host::check(cudaEventRecord(done, first));
  host::check(cudaSetDevice(1));
  const hazard::Array<int> out(host::count);
  const host::Stream second;
  if constexpr (fixed) host::check(cudaStreamWaitEvent(second, done, 0));
  read<<<host::grid, host::block, 0, second>>>(reinterpret_cast<int*>(team.own[1]), out.get());
  hazard::finish();
  const bool right = out.holds([](int i) { return i + 5; });
  host::check(cudaSetDevice(0));
  hazard::finish();
  return right;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
