// Cooperative groups, warp intrinsics, warp matrices, cached accesses, dynamic allocation.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <mma.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups(int* out, const int* in) {
  __shared__ int data[256];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto tile = cg::tiled_partition<8>(warp);
  data[block.thread_rank()] = in[block.thread_rank()];
  block.sync();
  int value = cg::reduce(tile, data[block.thread_rank()], cg::plus<int>());
  value += cg::exclusive_scan(tile, value) + tile.shfl_xor(value, 3);
  const auto active = cg::coalesced_threads();
  if (value & 1) value += cg::coalesced_threads().size() + active.ballot(value > 5);
  const auto label = cg::labeled_partition(active, value & 3);
  value += label.size() + warp.match_any(value) + warp.all(value > 0);
  cg::this_grid().sync();
  out[cg::this_grid().thread_rank()] = value;
}
extern "C" __global__ void warps(unsigned* u, float* f, unsigned long long* l) {
  const int i = threadIdx.x;
  u[i] += __shfl_down_sync(~0u, u[i], 3) + __reduce_max_sync(~0u, u[i]) +
          __match_any_sync(~0u, l[i]) + __ballot_sync(~0u, f[i] > 0) + __activemask() +
          __any_sync(~0u, u[i] == 3);
  f[i] = __ldg(&f[i + 1]) + __ldcs(&f[i + 2]) + __ldcg(&f[i + 3]) + __shfl_sync(~0u, f[i], 5, 8);
  __stwt(&f[i], f[i] + 1);
  __nanosleep(20);
  __threadfence_system();
  atomicCAS(&l[0], 1ull, 2ull), atomicMax(&u[0], u[i]), atomicInc(&u[1], 9),
      atomicExch(&f[0], f[i]);
  atomicAdd_block(&u[2], 1), atomicAnd_system(&u[3], 5);
  int* fresh = new int[8];
  fresh[i & 7] = i;
  u[i] += fresh[3] + __syncthreads_count(i > 3);
  delete[] fresh;
}
extern "C" __global__ void matrices(const __half* a, const __half* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
}
