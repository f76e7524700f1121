// Clusters and asynchronous copies of sm_90.
// arch: 90a
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(2, 1, 1) clusters(int* out, const int* in) {
  alignas(128) __shared__ int data[256];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    ptx::fence_proxy_async();
  }
  cluster.sync();
  if (threadIdx.x == 0)
    cuda::memcpy_async(data, in, cuda::aligned_size_t<16>(sizeof(data)), barrier);
  barrier.arrive_and_wait();
  int* other = cluster.map_shared_rank(data, cluster.block_rank() ^ 1);
  auto token = cluster.barrier_arrive();
  cluster.barrier_wait(std::move(token));
  out[threadIdx.x] = other[threadIdx.x] + cluster.num_blocks();
  cluster.sync();
  asm volatile("griddepcontrol.wait;");
  asm volatile(
      "{ .reg .pred p; elect.sync _|p, 0xffffffff; @p griddepcontrol.launch_dependents; }");
}
