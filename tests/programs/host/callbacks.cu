// Streams with priorities, host functions between kernels, callbacks with a status, events that
// order and time, queries while work is under way.
#include <atomic>
#include <thread>

#include "check.hpp"

namespace {

__global__ void add(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}

struct Log {
  std::atomic<int> order{0};
  int kernel_done = 0, called_back = 0, sum = 0;
  const int* data = nullptr;
  int count = 0;
};

void look(void* user) {
  auto& log = *static_cast<Log*>(user);
  for (int i = 0; i < log.count; ++i) log.sum += log.data[i];
  log.kernel_done = ++log.order;
}
void CUDART_CB called(cudaStream_t, cudaError_t status, void* user) {
  auto& log = *static_cast<Log*>(user);
  log.called_back = status == cudaSuccess ? ++log.order : -1;
}

}  // namespace

int main() {
  constexpr int count = 777;
  int least = 0, greatest = 0;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  expect(greatest <= least, "smaller numbers are more urgent");
  cudaStream_t urgent, patient;
  CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
  CHECK(cudaStreamCreateWithPriority(&patient, cudaStreamNonBlocking, least));
  int priority = 7;
  unsigned flags = 9;
  CHECK(cudaStreamGetPriority(urgent, &priority));
  CHECK(cudaStreamGetFlags(urgent, &flags));
  expect(priority == greatest && flags == cudaStreamNonBlocking, "priority and flags");

  const OnDevice<int> data(std::vector<int>(count, 5));
  int* pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, count * sizeof(int)));
  Log log;
  log.data = pinned;
  log.count = count;
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
  CHECK(cudaEventRecord(begin, patient));
  add<<<blocks_for(count, 128), 128, 0, patient>>>(data.get(), count, 2);
  CHECK(cudaMemcpyAsync(pinned, data.get(), count * sizeof(int), cudaMemcpyDeviceToHost, patient));
  CHECK(cudaLaunchHostFunc(patient, look, &log));
  CHECK(cudaEventRecord(end, patient));
  CHECK(cudaStreamWaitEvent(urgent, end));
  add<<<blocks_for(count, 128), 128, 0, urgent>>>(data.get(), count, 3);
  CHECK(cudaStreamAddCallback(urgent, called, &log, 0));
  CHECK(cudaGetLastError());
  while (cudaEventQuery(end) == cudaErrorNotReady) std::this_thread::yield();
  CHECK(cudaEventSynchronize(end));
  expect(log.sum == 7 * count && log.kernel_done == 1, "the host function saw the copy");
  while (cudaStreamQuery(urgent) == cudaErrorNotReady) std::this_thread::yield();
  CHECK(cudaStreamSynchronize(urgent));
  expect(log.called_back == 2, "the callback came behind it");
  expect_equal(data.fetch(), std::vector<int>(count, 10), "both kernels");
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  expect(milliseconds > 0 && milliseconds < 1000, "time between events");
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaStreamDestroy(urgent));
  CHECK(cudaStreamDestroy(patient));
  CHECK(cudaFreeHost(pinned));
  return passed();
}
