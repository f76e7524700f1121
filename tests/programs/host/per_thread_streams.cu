// flags: --default-stream per-thread
// A program compiled with a default stream per thread: four host threads launch and copy without
// naming a stream, and the legacy stream still waits for all of them.
#include <thread>

#include "check.hpp"

namespace {

__global__ void add(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}

}  // namespace

int main() {
  constexpr int threads = 4, count = 500, rounds = 5;
  std::vector<std::vector<int>> results(threads);
  int* total = nullptr;
  CHECK(cudaMalloc(&total, count * sizeof(int)));
  CHECK(cudaMemset(total, 0, count * sizeof(int)));
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  std::vector<std::thread> workers;
  for (int worker = 0; worker < threads; ++worker)
    workers.emplace_back([&results, worker] {
      int* data = nullptr;
      CHECK(cudaMalloc(&data, count * sizeof(int)));
      CHECK(cudaMemset(data, 0, count * sizeof(int)));
      for (int round = 0; round < rounds; ++round)
        add<<<blocks_for(count, 128), 128>>>(data, count, worker + 1);
      CHECK(cudaGetLastError());
      results[worker].resize(count);
      CHECK(cudaMemcpy(results[worker].data(), data, count * sizeof(int), cudaMemcpyDeviceToHost));
      CHECK(cudaFree(data));
    });
  for (auto& worker : workers) worker.join();
  for (int worker = 0; worker < threads; ++worker)
    expect_equal(results[worker], std::vector<int>(count, rounds * (worker + 1)), "a thread's own");
  add<<<blocks_for(count, 128), 128>>>(total, count, 1);
  add<<<blocks_for(count, 128), 128, 0, cudaStreamLegacy>>>(total, count, 1);
  add<<<blocks_for(count, 128), 128, 0, cudaStreamPerThread>>>(total, count, 1);
  std::vector<int> got(count);
  CHECK(cudaMemcpy(got.data(), total, count * sizeof(int), cudaMemcpyDeviceToHost));
  expect_equal(got, std::vector<int>(count, 3),
               "legacy and per-thread streams wait for each other");
  CHECK(cudaFree(total));
  return passed();
}
