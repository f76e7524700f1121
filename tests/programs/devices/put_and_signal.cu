// device: h200,sms=4,gpus=4
// Kernels of several devices that wait for each other while they run: each puts numbers into its
// right neighbour's memory, signals, and waits for the left one, round after round; ranks that
// share a device do the same. Then a kernel that waits for the second of two in another stream.
#include "check.hpp"

namespace {

__device__ void signal(unsigned* flag, unsigned epoch) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
}
__device__ void await(const unsigned* flag, unsigned epoch) {
  unsigned seen = 0;
  while (seen < epoch)
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
}

constexpr int block = 64;

// Of a rank: two buffers in turn, and how far its left neighbour has put and its right one has
// read.
struct Inbox {
  int buffers[2][block];
  unsigned put, read;
};

__global__ void pass_round(Inbox* own, Inbox* left, Inbox* right, int first, int rounds, int* out) {
  const bool leads = threadIdx.x == 0;
  int value = first + static_cast<int>(threadIdx.x);
  for (unsigned round = 1; round <= static_cast<unsigned>(rounds); ++round) {
    // The buffer's last user was round - 2.
    if (leads && round > 2) await(&own->read, round - 2);
    __syncthreads();
    right->buffers[round % 2][threadIdx.x] = value + static_cast<int>(round);
    __syncthreads();
    if (leads) {
      signal(&right->put, round);
      await(&own->put, round);
    }
    __syncthreads();
    value = own->buffers[round % 2][threadIdx.x];
    __syncthreads();
    if (leads) signal(&left->read, round);
  }
  out[threadIdx.x] = value;
}

// What a ring of `ranks` holds in the end: the first value of the rank `rounds` places back.
int want(int rank, int ranks, int rounds, int thread) {
  const int from = ((rank - rounds) % ranks + ranks) % ranks;
  return 1000 * from + thread + rounds * (rounds + 1) / 2;
}

struct Rank {
  Inbox* inbox = nullptr;
  int* out = nullptr;
  cudaStream_t stream{};
};

void ring(int ranks, int devices, int rounds) {
  std::vector<Rank> all(ranks);
  for (int r = 0; r < ranks; ++r) {
    CHECK(cudaSetDevice(r % devices));
    CHECK(cudaMalloc(&all[r].inbox, sizeof(Inbox)));
    CHECK(cudaMalloc(&all[r].out, block * sizeof(int)));
    CHECK(cudaMemset(all[r].inbox, 0, sizeof(Inbox)));
    CHECK(cudaStreamCreateWithFlags(&all[r].stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
  }
  for (int r = 0; r < ranks; ++r) {
    CHECK(cudaSetDevice(r % devices));
    Inbox *const left = all[(r + ranks - 1) % ranks].inbox, *const right =
                                                                all[(r + 1) % ranks].inbox;
    pass_round<<<1, block, 0, all[r].stream>>>(all[r].inbox, left, right, 1000 * r, rounds,
                                               all[r].out);
    CHECK(cudaGetLastError());
  }
  for (int r = 0; r < ranks; ++r) {
    CHECK(cudaSetDevice(r % devices));
    CHECK(cudaStreamSynchronize(all[r].stream));
    std::vector<int> got(block), expected(block);
    CHECK(cudaMemcpy(got.data(), all[r].out, block * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < block; ++i) expected[i] = want(r, ranks, rounds, i);
    expect_equal(got, expected, "round the ring");
  }
  for (Rank& one : all) {
    CHECK(cudaFree(one.inbox));
    CHECK(cudaFree(one.out));
    CHECK(cudaStreamDestroy(one.stream));
  }
}

__global__ void wait_for(const unsigned* flag, unsigned epoch, unsigned* out) {
  await(flag, epoch);
  *out = epoch;
}
__global__ void raise(unsigned* flag, unsigned epoch) { signal(flag, epoch); }

}  // namespace

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    for (int peer = 0; peer < devices; ++peer)
      if (peer != d) CHECK(cudaDeviceEnablePeerAccess(peer, 0));
  }
  ring(devices, devices, 9);
  ring(3, 1, 6);
  ring(2 * devices, devices, 5);

  CHECK(cudaSetDevice(0));
  unsigned* words = nullptr;
  CHECK(cudaMalloc(&words, 2 * sizeof(unsigned)));
  CHECK(cudaMemset(words, 0, 2 * sizeof(unsigned)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t waits{}, tells{};
  CHECK(cudaStreamCreateWithFlags(&waits, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&tells, cudaStreamNonBlocking));
  wait_for<<<1, 1, 0, waits>>>(words, 7, words + 1);
  raise<<<1, 1, 0, tells>>>(words, 3);
  raise<<<1, 1, 0, tells>>>(words, 7);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(waits));
  unsigned seen = 0;
  CHECK(cudaMemcpy(&seen, words + 1, sizeof seen, cudaMemcpyDefault));
  expect(seen == 7, "the second of two kernels behind each other was waited for");
  return passed();
}
