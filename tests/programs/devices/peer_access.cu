// device: h200,sms=4,gpus=4
// Several devices with peer access: unified addresses, copies in a ring, a kernel that reads and
// writes another device's memory, atomics over the link, and what is refused without access.
#include <algorithm>

#include "check.hpp"

namespace {

__global__ void fill(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = value + i;
}
__global__ void gather(const int* mine, const int* theirs, int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = mine[i] + theirs[count - 1 - i];
}
__global__ void count_in(int* counter) { atomicAdd_system(counter, 1); }

}  // namespace

int main() {
  constexpr int count = 900;
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  expect(devices == 4, "four devices");
  std::vector<int*> data(devices), out(devices);
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    for (int peer = 0; peer < devices; ++peer) {
      int can = 0;
      CHECK(cudaDeviceCanAccessPeer(&can, d, peer));
      expect(can == (peer != d), "all others, not itself");
      if (can) CHECK(cudaDeviceEnablePeerAccess(peer, 0));
    }
    expect(cudaDeviceEnablePeerAccess((d + 1) % devices, 0) == cudaErrorPeerAccessAlreadyEnabled,
           "twice");
    expect(cudaGetLastError() == cudaErrorPeerAccessAlreadyEnabled, "is remembered");
    CHECK(cudaMalloc(&data[d], count * sizeof(int)));
    CHECK(cudaMalloc(&out[d], count * sizeof(int)));
    fill<<<blocks_for(count, 128), 128>>>(data[d], count, 1000 * d);
    CHECK(cudaGetLastError());
    cudaPointerAttributes attributes{};
    CHECK(cudaPointerGetAttributes(&attributes, data[d] + 1));
    expect(attributes.device == d && attributes.type == cudaMemoryTypeDevice, "whose memory it is");
  }
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceSynchronize());
  }
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    gather<<<blocks_for(count, 128), 128>>>(data[d], data[(d + 1) % devices], out[d], count);
    CHECK(cudaGetLastError());
  }
  std::vector<int> got(count), want(count);
  for (int d = 0; d < devices; ++d) {
    for (int i = 0; i < count; ++i) want[i] = 1000 * (d + (d + 1) % devices) + count - 1;
    CHECK(cudaSetDevice(d));  // the copy is behind the kernel in the same default stream
    CHECK(cudaMemcpy(got.data(), out[d], count * sizeof(int), cudaMemcpyDefault));
    expect_equal(got, want, "read over the link");
  }
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceSynchronize());
  }
  // Round the ring: every device's numbers end one further.
  for (int d = 0; d < devices; ++d)
    CHECK(
        cudaMemcpyPeer(out[(d + 1) % devices], (d + 1) % devices, data[d], d, count * sizeof(int)));
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMemcpy(got.data(), out[(d + 1) % devices], count * sizeof(int),
                     cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i) want[i] = 1000 * d + i;
    expect_equal(got, want, "one further");
  }
  CHECK(cudaSetDevice(0));
  CHECK(cudaMemset(data[0], 0, sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    count_in<<<3, 64>>>(data[0]);
    CHECK(cudaGetLastError());
  }
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaMemcpy(got.data(), data[0], sizeof(int), cudaMemcpyDefault));
  expect(got[0] == 3 * 64 * devices, "atomics of all devices");
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceDisablePeerAccess((d + 1) % devices));
    CHECK(cudaFree(data[d]));
    CHECK(cudaFree(out[d]));
  }
  return passed();
}
