// seeds: 20
// Streams, events, asynchronous copies, host functions, stream-ordered memory, and graphs:
// captured, replayed, updated, and built node by node.
#include <atomic>
#include <numeric>

#include "check.hpp"

namespace {

constexpr int count = 1000;

__global__ void scale(int* values, int size, int by) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) values[i] *= by;
}

__global__ void add(int* values, const int* others, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) values[i] += others[i];
}

constexpr int block = 128, grid = (count + block - 1) / block;

struct Stream {
  cudaStream_t handle = nullptr;
  Stream() { CHECK(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(handle); }
  operator cudaStream_t() const { return handle; }
};

struct Event {
  cudaEvent_t handle = nullptr;
  Event() { CHECK(cudaEventCreate(&handle)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(handle); }
  operator cudaEvent_t() const { return handle; }
};

template <class T>
struct Pinned {
  T* values = nullptr;
  Pinned() { CHECK(cudaMallocHost(&values, count * sizeof(T))); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { cudaFreeHost(values); }
};

bool all_are(const int* values, int factor, int offset) {
  for (int i = 0; i < count; ++i)
    if (values[i] != factor * i + offset) return false;
  return true;
}

// Two streams that meet in events: y = 3 i on one, x = 2 i on the other, x += y after both.
void check_streams() {
  const Stream first, second;
  const Event begin, copied, end;
  const Pinned<int> source, result;
  std::iota(source.values, source.values + count, 0);
  const OnDevice<int> x(count), y(count);
  CHECK(cudaEventRecord(begin, first));
  CHECK(cudaMemcpyAsync(x.get(), source.values, count * sizeof(int), cudaMemcpyDefault, first));
  CHECK(
      cudaMemcpyAsync(y.get(), source.values, count * sizeof(int), cudaMemcpyHostToDevice, second));
  scale<<<grid, block, 0, second>>>(y.get(), count, 3);
  CHECK(cudaEventRecord(copied, second));
  scale<<<grid, block, 0, first>>>(x.get(), count, 2);
  CHECK(cudaStreamWaitEvent(first, copied, 0));
  add<<<grid, block, 0, first>>>(x.get(), y.get(), count);
  CHECK(
      cudaMemcpyAsync(result.values, x.get(), count * sizeof(int), cudaMemcpyDeviceToHost, first));
  CHECK(cudaEventRecord(end, first));
  CHECK(cudaEventSynchronize(end));
  expect(cudaEventQuery(end) == cudaSuccess && cudaEventQuery(copied) == cudaSuccess,
         "events that have passed");
  expect(all_are(result.values, 5, 0), "two streams");
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  expect(milliseconds >= 0, "elapsed time");
  CHECK(cudaStreamSynchronize(second));
  expect(cudaStreamQuery(first) == cudaSuccess, "a stream that is done");
}

// Host functions stand in line with the rest of their stream.
void check_host_functions() {
  struct Seen {
    const int* values;
    int calls = 0;
    bool right = true;
  };
  const Stream stream;
  const Pinned<int> values;
  std::iota(values.values, values.values + count, 0);
  const OnDevice<int> device(count);
  Seen seen{values.values};
  int factor = 1;
  for (int round = 0; round < 3; ++round) {
    CHECK(cudaMemcpyAsync(device.get(), values.values, count * sizeof(int), cudaMemcpyDefault,
                          stream));
    scale<<<grid, block, 0, stream>>>(device.get(), count, 2);
    CHECK(cudaMemcpyAsync(values.values, device.get(), count * sizeof(int), cudaMemcpyDefault,
                          stream));
    const auto look = [](void* data) {
      Seen& s = *static_cast<Seen*>(data);
      s.right &= all_are(s.values, 2 << s.calls, 0);
      ++s.calls;
    };
    CHECK(cudaLaunchHostFunc(stream, look, &seen));
    factor *= 2;
  }
  std::atomic<int> called{0};
  CHECK(cudaStreamAddCallback(
      stream,
      [](cudaStream_t, cudaError_t status, void* data) {
        *static_cast<std::atomic<int>*>(data) = status == cudaSuccess ? 1 : 2;
      },
      &called, 0));
  CHECK(cudaStreamSynchronize(stream));
  expect(seen.calls == 3 && seen.right && factor == 8 && called == 1, "host functions");
}

// Memory whose life is ordered by the stream.
void check_stream_memory() {
  const Stream stream;
  const Pinned<int> result;
  std::vector<int> source(count);
  std::iota(source.begin(), source.end(), 0);
  for (int round = 1; round <= 3; ++round) {
    int *a = nullptr, *b = nullptr;
    CHECK(cudaMallocAsync(&a, count * sizeof(int), stream));
    CHECK(cudaMallocAsync(&b, count * sizeof(int), stream));
    CHECK(cudaMemcpyAsync(a, source.data(), count * sizeof(int), cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemsetAsync(b, 0, count * sizeof(int), stream));
    add<<<grid, block, 0, stream>>>(b, a, count);
    scale<<<grid, block, 0, stream>>>(b, count, round);
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaMemcpyAsync(result.values, b, count * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(b, stream));
    CHECK(cudaStreamSynchronize(stream));
    expect(all_are(result.values, round, 0), "stream-ordered memory");
  }
  cudaMemPool_t pool = nullptr;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK(cudaMemPoolTrimTo(pool, 0));
}

// x = by * x + y; the two branches are captured from two streams.
cudaGraph_t capture(const Stream& stream, int* x, int* y, const int* source, int by) {
  const Stream branch;
  const Event forked, joined;
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaEventRecord(forked, stream));
  CHECK(cudaStreamWaitEvent(branch, forked, 0));
  CHECK(cudaMemcpyAsync(y, source, count * sizeof(int), cudaMemcpyDefault, branch));
  CHECK(cudaEventRecord(joined, branch));
  scale<<<grid, block, 0, stream>>>(x, count, by);
  CHECK(cudaStreamWaitEvent(stream, joined, 0));
  add<<<grid, block, 0, stream>>>(x, y, count);
  cudaStreamCaptureStatus status{};
  CHECK(cudaStreamIsCapturing(branch, &status));
  expect(status == cudaStreamCaptureStatusActive, "the branch is captured too");
  CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

void check_capture() {
  const Stream stream;
  const Pinned<int> source;
  std::iota(source.values, source.values + count, 0);
  const OnDevice<int> x(std::vector<int>(count, 1)), y(count);
  const cudaGraph_t graph = capture(stream, x.get(), y.get(), source.values, 2);
  expect(x.fetch() == std::vector<int>(count, 1), "capturing runs nothing");
  std::size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  expect(nodes == 3, "a copy and two kernels");
  cudaGraphExec_t ready = nullptr;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(ready, stream));  // 4 + 3 i
  CHECK(cudaStreamSynchronize(stream));
  expect(all_are(x.fetch().data(), 3, 4), "two launches of the graph");

  // Another graph of the same shape: x = 5 x + y.
  const cudaGraph_t other = capture(stream, x.get(), y.get(), source.values, 5);
  cudaGraphExecUpdateResultInfo info{};
  CHECK(cudaGraphExecUpdate(ready, other, &info));
  expect(info.result == cudaGraphExecUpdateSuccess, "update of the graph");
  CHECK(cudaGraphLaunch(ready, stream));
  CHECK(cudaStreamSynchronize(stream));
  expect(all_are(x.fetch().data(), 16, 20), "the updated graph");

  // A graph of another shape is refused, and the old one still works.
  cudaGraph_t smaller = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  scale<<<grid, block, 0, stream>>>(x.get(), count, 7);
  CHECK(cudaStreamEndCapture(stream, &smaller));
  expect(cudaGraphExecUpdate(ready, smaller, &info) == cudaErrorGraphExecUpdateFailure,
         "a graph of another shape");
  (void)cudaGetLastError();
  for (const cudaGraph_t made : {graph, other, smaller}) CHECK(cudaGraphDestroy(made));
  CHECK(cudaGraphExecDestroy(ready));
}

// memset -> kernel -> host function, by hand; then another argument for the kernel.
void check_nodes() {
  const OnDevice<int> x(count), ones(std::vector<int>(count, 1));
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t clear = nullptr, kernel = nullptr, host = nullptr;
  cudaMemsetParams filled{};
  filled.dst = x.get();
  filled.elementSize = 4;
  filled.width = count;
  filled.height = 1;
  filled.value = 40;
  CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &filled));
  int* values = x.get();
  const int* others = ones.get();
  int size = count;
  void* arguments[] = {&values, &others, &size};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(add);
  launch.gridDim = dim3(grid);
  launch.blockDim = dim3(block);
  launch.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &clear, 1, &launch));
  int calls = 0;
  cudaHostNodeParams callback{};
  callback.fn = [](void* data) { ++*static_cast<int*>(data); };
  callback.userData = &calls;
  CHECK(cudaGraphAddHostNode(&host, graph, &kernel, 1, &callback));
  cudaGraphExec_t ready = nullptr;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  const Stream stream;
  CHECK(cudaGraphLaunch(ready, stream));
  CHECK(cudaStreamSynchronize(stream));
  expect(x.fetch() == std::vector<int>(count, 41) && calls == 1, "a graph of nodes");

  size = count / 2;
  CHECK(cudaGraphExecKernelNodeSetParams(ready, kernel, &launch));
  CHECK(cudaGraphLaunch(ready, stream));
  CHECK(cudaStreamSynchronize(stream));
  const auto got = x.fetch();
  for (int i = 0; i < count; ++i) expect(got[i] == (i < count / 2 ? 41 : 40), "new arguments");
  expect(calls == 2, "the host node runs again");
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaGraphDestroy(graph));
}

}  // namespace

int main() {
  check_streams();
  check_host_functions();
  check_stream_memory();
  check_capture();
  check_nodes();
  std::puts("ok");
}
