// Ways to launch: cudaLaunchKernel and its Ex form with attributes (clusters, priority,
// programmatic order, completion events), by a function's handle, with structures of every size as
// arguments.
#include <cooperative_groups.h>

#include <cstdint>

#include "check.hpp"

namespace cg = cooperative_groups;

namespace {

struct Large {
  double first;
  char text[1500];
  std::uint16_t last;
};
struct alignas(16) Wide {
  float4 value;
  char tail;
};

__global__ void take(signed char a, short b, const __grid_constant__ Large large, Wide wide,
                     int* out) {
  out[0] = a;
  out[1] = b;
  out[2] = static_cast<int>(large.first) + large.text[1499] + large.last;
  out[3] = static_cast<int>(wide.value.w) + wide.tail;
}

__global__ void in_clusters(int* out) {
  const auto cluster = cg::this_cluster();
  __shared__ int mine;
  if (threadIdx.x == 0) mine = 10 * static_cast<int>(blockIdx.x);
  cluster.sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1) +
                      static_cast<int>(cluster.num_blocks());
  cluster.sync();
}

__global__ void __cluster_dims__(4, 1, 1) fixed_clusters(int* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<int>(cg::this_cluster().block_rank());
}

__global__ void produce(int* data) {
  cudaTriggerProgrammaticLaunchCompletion();
  data[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<int>(blockIdx.x * 1000 + threadIdx.x);
}
__global__ void consume(const int* data, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int own = 3 * i;  // what does not depend on the kernel before
  cudaGridDependencySynchronize();
  out[i] = own + data[gridDim.x * blockDim.x - 1 - i];
}

void check_arguments() {
  const OnDevice<int> out(4);
  signed char a = -3;
  short b = -3000;
  Large large{4.0, {}, 5};
  large.text[1499] = 9;
  Wide wide{make_float4(0, 0, 0, 7), 2};
  int* at = out.get();
  void* arguments[] = {&a, &b, &large, &wide, &at};
  CHECK(cudaLaunchKernel(take, 1, 1, arguments, 0, nullptr));
  const std::vector<int> want{-3, -3000, 18, 9};
  expect_equal(out.fetch(), want, "cudaLaunchKernel");
  cudaFunction_t function;
  CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(take)));
  CHECK(cudaMemset(at, 0xff, 4 * sizeof(int)));
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(function), 1, 1, arguments, 0, nullptr));
  expect_equal(out.fetch(), want, "by a function's handle");
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = 1;
  CHECK(cudaMemset(at, 0xff, 4 * sizeof(int)));
  CHECK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(take), arguments));
  expect_equal(out.fetch(), want, "cudaLaunchKernelExC");
}

void check_clusters() {
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {2, 1, 1};
  attributes[1].id = cudaLaunchAttributePriority;
  attributes[1].val.priority = 0;
  cudaLaunchConfig_t config{};
  config.gridDim = 6;
  config.blockDim = 64;
  config.attrs = attributes;
  config.numAttrs = 2;
  const OnDevice<int> out(6), ranks(8);
  CHECK(cudaLaunchKernelEx(&config, in_clusters, out.get()));
  fixed_clusters<<<8, 32>>>(ranks.get());
  finish();
  expect_equal(out.fetch(), {12, 2, 32, 22, 52, 42}, "clusters by an attribute");
  expect_equal(ranks.fetch(), {0, 1, 2, 3, 0, 1, 2, 3}, "clusters by a declaration");
  config.gridDim = 5;
  expect(cudaLaunchKernelEx(&config, in_clusters, out.get()) != cudaSuccess, "five in pairs");
  expect(cudaGetLastError() != cudaSuccess, "and the error is remembered");
}

void check_programmatic_order() {
  constexpr int blocks = 6, threads = 64, count = blocks * threads;
  const OnDevice<int> data(count), out(count);
  cudaStream_t stream;
  cudaEvent_t launched;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreateWithFlags(&launched, cudaEventDisableTiming));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  produce<<<blocks, threads, 0, stream>>>(data.get());
  CHECK(cudaLaunchKernelEx(&config, consume, static_cast<const int*>(data.get()), out.get()));
  CHECK(cudaStreamSynchronize(stream));
  std::vector<int> want(count);
  for (int i = 0; i < count; ++i) {
    const int other = count - 1 - i;
    want[i] = 3 * i + other / threads * 1000 + other % threads;
  }
  expect_equal(out.fetch(), want, "programmatic order");
  CHECK(cudaEventDestroy(launched));
  CHECK(cudaStreamDestroy(stream));
}

}  // namespace

int main() {
  check_arguments();
  check_clusters();
  check_programmatic_order();
  return passed();
}
