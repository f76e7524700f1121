// Transposes a matrix: TMA brings a tile into shared memory and swizzles it, so that
// its columns can be read without every lane meeting the same bank. The layout that says where an
// element lies is a constant; the instructions are those of tile/arch.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "tile/arch/tma.cuh"
#include "tile/device/launch/tensor_map.hpp"
#include "tile/layout/offset.hpp"

namespace {

constexpr int extent = 32;  // a row of a tile is 128 bytes, the span of the widest swizzle
constexpr int threads = 256;
constexpr aisp::tile::Swizzled tile_layout = compose(
    aisp::tile::memory_swizzle(128, 32), aisp::tile::row_major(aisp::tile::Shape{extent, extent}));

__global__ void __launch_bounds__(threads)
    transpose(const __grid_constant__ CUtensorMap from, float* to, int rows, int columns) {
  __shared__ alignas(1024) float elements[cosize(tile_layout)];  // (row, column)
  __shared__ aisp::tile::arch::MBarrier landed;
  const int first_row = blockIdx.y * extent, first_column = blockIdx.x * extent;
  if (threadIdx.x == 0) {
    aisp::tile::arch::mbarrier_init(&landed, 1);
    aisp::tile::arch::fence_mbarrier_init();
    aisp::tile::arch::mbarrier_arrive_expect(&landed, sizeof elements);
    aisp::tile::arch::tma_load(elements, &from, &landed, first_column, first_row, 0);
  }
  __syncthreads();
  aisp::tile::arch::mbarrier_wait(&landed, 0);

  const int in_row = threadIdx.x % extent, row = first_row + in_row;
  for (int in_column = threadIdx.x / extent; in_column < extent; in_column += threads / extent) {
    const int column = first_column + in_column;
    if (row < rows && column < columns)
      to[column * rows + row] = elements[aisp::tile::offset_at<tile_layout>(in_row, in_column)];
  }
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "own_kernel: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

}  // namespace

int main() try {
  const int rows = 100, columns = 76;
  std::vector<float> matrix(rows * columns), transposed(rows * columns);
  for (int i = 0; i < rows * columns; ++i) matrix[i] = static_cast<float>(i);

  float *from = nullptr, *to = nullptr;
  check(cudaMalloc(&from, matrix.size() * sizeof(float)));
  check(cudaMalloc(&to, matrix.size() * sizeof(float)));
  check(cudaMemcpy(from, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemset(to, 0xff, matrix.size() * sizeof(float)));
  // How TMA sees the matrix: boxes of extent x extent, clipped at its edges.
  const CUtensorMap map = aisp::tile::device::describe(
      {.data = from, .contiguous = columns, .lines = rows, .line_stride = columns},
      {.element = aisp::tile::Element::f32, .rows = extent, .k = extent});
  const dim3 grid((columns + extent - 1) / extent, (rows + extent - 1) / extent);
  transpose<<<grid, threads>>>(map, to, rows, columns);
  check(cudaGetLastError());
  check(cudaMemcpy(transposed.data(), to, matrix.size() * sizeof(float), cudaMemcpyDeviceToHost));

  int wrong = 0;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      wrong += !(transposed[column * rows + row] == matrix[row * columns + column]);
  std::printf("%d x %d transposed, %d elements wrong\n", rows, columns, wrong);
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& refused) {  // what TMA does not take, with the numbers
  std::fprintf(stderr, "own_kernel: %s\n", refused.what());
  return 1;
}
