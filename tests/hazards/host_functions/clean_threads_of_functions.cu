// hazard: none
// Host functions of several streams start threads that check and free what their stream copied to
// the host, while the host launches the work of the next streams. Several threads touch memory that
// was protected a moment ago at once.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

constexpr int jobs = 8;

std::atomic<int> right;
std::mutex threads_mutex;
std::vector<std::thread> threads;

struct Job {
  cudaStream_t stream = nullptr;
  int *values = nullptr, *device = nullptr;
};

void check(const Job& job) {
  if (reachable::sum(job.values) == 2 * reachable::sum_of_numbers) ++right;
  host::check(cudaFree(job.device));
  host::check(cudaFreeHost(job.values));
  host::check(cudaStreamDestroy(job.stream));
}

void start(void* data) {
  const std::lock_guard lock(threads_mutex);
  threads.emplace_back([job = *static_cast<Job*>(data)] { check(job); });
}

void launch(Job& job) {
  host::check(cudaStreamCreateWithFlags(&job.stream, cudaStreamNonBlocking));
  host::check(cudaMallocHost(&job.values, host::bytes));
  host::check(cudaMalloc(&job.device, host::bytes));
  for (int i = 0; i < host::count; ++i) job.values[i] = i;
  host::check(
      cudaMemcpyAsync(job.device, job.values, host::bytes, cudaMemcpyHostToDevice, job.stream));
  reachable::twice<<<host::count / 128, 128, 0, job.stream>>>(job.device);
  host::check(
      cudaMemcpyAsync(job.values, job.device, host::bytes, cudaMemcpyDeviceToHost, job.stream));
  host::check(cudaLaunchHostFunc(job.stream, start, &job));
}

bool run() {
  Job all[jobs];
  for (Job& job : all) launch(job);
  while (true) {  // until every function has started its thread
    const std::lock_guard lock(threads_mutex);
    if (threads.size() == jobs) break;
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  hazard::finish();
  return right == jobs;
}

const hazard::Program program(__FILE__, run);

}  // namespace
