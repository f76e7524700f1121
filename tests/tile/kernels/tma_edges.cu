// Where TMA stops at the edge of a tensor: loads bring no element from outside, stores
// write up to the end of the 16 bytes that the edge cuts. What tile/device/gemm/admit.hpp relies
// on.
#include <cstdio>
#include <vector>

#include "tile/arch/tma.cuh"
#include "tile/device/launch/tensor_map.hpp"

using namespace aisp;

namespace {

using tile::device::check_cuda;
using Code = std::uint16_t;

constexpr tile::OperandTile box{tile::Element::bf16, tile::Major::k, 8, 64};
constexpr int count = 8 * 64, bytes = count * 2, rows = 5;

struct Maps {
  CUtensorMap in, out;
};

// By maps of two indices or of three.
template <int rank>
__global__ void copy_box(const __grid_constant__ Maps maps, Code* seen) {
  __shared__ alignas(1024) Code shared[count];
  __shared__ tile::arch::MBarrier landed;
  if (threadIdx.x == 0) {
    tile::arch::mbarrier_init(&landed, 1);
    tile::arch::fence_mbarrier_init();
    tile::arch::mbarrier_arrive_expect(&landed, bytes);
    if constexpr (rank == 2)
      tile::arch::tma_load(shared, &maps.in, &landed, 0, 0);
    else
      tile::arch::tma_load(shared, &maps.in, &landed, 0, 0, 0);
  }
  __syncthreads();
  tile::arch::mbarrier_wait(&landed, 0);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 32) seen[i] = shared[i];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 32) shared[i] = 1;
  tile::arch::fence_async_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    if constexpr (rank == 2)
      tile::arch::tma_store(&maps.out, shared, 0, 0);
    else
      tile::arch::tma_store(&maps.out, shared, 0, 0, 0);
    tile::arch::bulk_commit();
    tile::arch::bulk_wait<0>();
  }
}

Code* filled(int value) {
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
  check_cuda(cudaMemset(memory, value, bytes), "cudaMemset");
  return static_cast<Code*>(memory);
}

std::vector<Code> fetch(const Code* memory) {
  std::vector<Code> values(count);
  check_cuda(cudaMemcpy(values.data(), memory, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return values;
}

// A tensor of `rows` lines of `columns` in a box of 8 x 64.
template <int rank>
CUtensorMap map_of(Code* data, int columns) {
  if (rank == 3) return tile::device::describe({data, columns, rows, 1, 64, count}, box);
  CUtensorMap map{};
  const CUresult made =
      tile::device::encode_map({.element = box.element,
                                .data = data,
                                .rank = 2,
                                .extent = {static_cast<cuuint64_t>(columns), rows},
                                .stride = {64 * sizeof(Code)},
                                .box = {64, 8},
                                .swizzle = box.swizzle},
                               map);
  if (made != CUDA_SUCCESS) std::fprintf(stderr, "no map of two indices: CUresult %d\n", made);
  return map;
}

template <int rank>
bool stops_at(int columns) {
  Code *in = filled(0x7f), *out = filled(0xff), *seen = filled(0xff);
  const Maps maps{map_of<rank>(in, columns), map_of<rank>(out, columns)};
  copy_box<rank><<<1, 32>>>(maps, seen);
  check_cuda(cudaDeviceSynchronize(), "copy_box");
  const auto loaded = fetch(seen), stored = fetch(out);
  const int stored_columns = (columns + 7) / 8 * 8;
  int wrong = 0;
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 64; ++column) {
      // The box is swizzled: chunks of 8 elements change places within their row.
      const int at = row * 64 + (((column / 8) ^ row) * 8 + column % 8);
      wrong += (loaded[at] != 0) != (row < rows && column < columns);
      wrong += (stored[row * 64 + column] == 1) != (row < rows && column < stored_columns);
    }
  for (Code* memory : {in, out, seen}) check_cuda(cudaFree(memory), "cudaFree");
  if (wrong > 0) std::fprintf(stderr, "%d columns: %d elements are wrong\n", columns, wrong);
  return wrong == 0;
}

}  // namespace

int main() {
  bool good = true;
  for (const int columns : {1, 7, 8, 13, 15, 16, 20, 63, 64})
    good = stops_at<2>(columns) && stops_at<3>(columns) && good;
  if (good) std::puts("ok");
  return good ? 0 : 1;
}
