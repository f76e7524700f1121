// device: h200,sms=4,gpus=4
// A sum over all devices with a host thread each: chunks go round a ring, first added, then passed
// on, with events between the threads' streams; a barrier of the host keeps them in step.
#include <barrier>
#include <thread>

#include "check.hpp"

namespace {

constexpr int most = 4, chunk = 256;

__global__ void add(float* to, const float* from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] += from[i];
}

struct Rank {
  float *data = nullptr, *arrived = nullptr;
  cudaStream_t stream{};
  cudaEvent_t done{};
};

void run(int rank, std::vector<Rank>& ranks, const std::vector<float>& values,
         std::vector<float>& out, std::barrier<>& all) {
  const int count = static_cast<int>(ranks.size());
  Rank& me = ranks[rank];
  const int next = (rank + 1) % count;
  CHECK(cudaSetDevice(rank));
  CHECK(cudaMalloc(&me.data, count * chunk * sizeof(float)));
  CHECK(cudaMalloc(&me.arrived, 2 * count * chunk * sizeof(float)));
  CHECK(cudaStreamCreateWithFlags(&me.stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&me.done, cudaEventDisableTiming));
  CHECK(cudaMemcpyAsync(me.data, values.data(), count * chunk * sizeof(float),
                        cudaMemcpyHostToDevice, me.stream));
  CHECK(cudaStreamSynchronize(me.stream));
  all.arrive_and_wait();
  for (int step = 0; step < 2 * (count - 1); ++step) {
    const bool reducing = step < count - 1;
    // Every step has a place of its own for what arrives.
    const int sent = (rank - step + 2 * count) % count,
              received = (rank - 1 - step + 2 * count) % count;
    CHECK(cudaMemcpyPeerAsync(ranks[next].arrived + step * chunk, next, me.data + sent * chunk,
                              rank, chunk * sizeof(float), me.stream));
    CHECK(cudaEventRecord(me.done, me.stream));
    all.arrive_and_wait();  // the event of this step is there to be waited for
    CHECK(cudaStreamWaitEvent(me.stream, ranks[(rank + count - 1) % count].done));
    if (reducing)
      add<<<blocks_for(chunk, 128), 128, 0, me.stream>>>(me.data + received * chunk,
                                                         me.arrived + step * chunk, chunk);
    else
      CHECK(cudaMemcpyAsync(me.data + received * chunk, me.arrived + step * chunk,
                            chunk * sizeof(float), cudaMemcpyDeviceToDevice, me.stream));
    CHECK(cudaGetLastError());
    all.arrive_and_wait();  // nobody records the next event before all have waited for this one
  }
  out.resize(count * chunk);
  CHECK(cudaMemcpyAsync(out.data(), me.data, out.size() * sizeof(float), cudaMemcpyDeviceToHost,
                        me.stream));
  CHECK(cudaStreamSynchronize(me.stream));
  all.arrive_and_wait();
  CHECK(cudaFree(me.data));
  CHECK(cudaFree(me.arrived));
  CHECK(cudaEventDestroy(me.done));
  CHECK(cudaStreamDestroy(me.stream));
}

}  // namespace

int main() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  count = std::min(count, most);
  std::vector<Rank> ranks(count);
  std::vector<std::vector<float>> values, out(count);
  for (int rank = 0; rank < count; ++rank) values.push_back(reals(count * chunk, 10 + rank));
  std::barrier<> all(count);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] { run(rank, ranks, values[rank], out[rank], all); });
  for (auto& thread : threads) thread.join();
  std::vector<double> want(count * chunk);
  for (const auto& of_rank : values)
    for (int i = 0; i < count * chunk; ++i) want[i] += of_rank[i];
  for (const auto& got : out) expect_close(got, want, 1e-6, "the sum on every device");
  return passed();
}
