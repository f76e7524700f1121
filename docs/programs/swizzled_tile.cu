// A warp reads the columns of a bf16 tile in shared memory: a swizzle keeps its lanes apart.
#include <cstdint>
#include <cstdio>

#include "tile/layout/offset.hpp"
#include "tile/layout/swizzle.hpp"

using namespace aisp::tile;

constexpr int rows = 32, columns = 64;  // rows of 128 bytes
constexpr Swizzled tile = compose(memory_swizzle(128, 16), row_major(Shape{rows, columns}));
static_assert(tile.swizzle == Swizzle{3, 3, 3});  // counted in elements of 2 bytes

__global__ void transpose(const std::uint16_t* from, std::uint16_t* to) {
  __shared__ alignas(1024) std::uint16_t elements[cosize(tile)];  // known while compiling: as it is
  for (int i = threadIdx.x; i < rows * columns; i += 32)
    elements[offset_at<tile>(i / columns, i % columns)] = from[i];  // by numbers of the run
  __syncwarp();
  for (int i = threadIdx.x; i < rows * columns; i += 32)
    to[i] = elements[offset_at<tile>(i % rows, i / rows)];
}

int main() {
  std::uint16_t *from = nullptr, *to = nullptr;
  cudaMallocManaged(&from, rows * columns * 2);
  cudaMallocManaged(&to, rows * columns * 2);
  for (int i = 0; i < rows * columns; ++i) from[i] = static_cast<std::uint16_t>(i);
  transpose<<<1, 32>>>(from, to);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      wrong += to[column * rows + row] != from[row * columns + column];
  std::printf("%d of %d elements wrong\n", wrong, rows * columns);
  return wrong != 0;
}
