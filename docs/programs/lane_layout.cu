// D = A B' of one warp: which byte of shared memory is which register follows from two layouts.
#include <cuda_bf16.h>

#include <cmath>
#include <cstdio>

#include "tile/atom/multiply.cuh"
#include "tile/tiled/operand_layout.hpp"

using namespace aisp::tile;

using Atom = MmaSync<Element::bf16>;                // D 16x8, A 16x16, B 8x16
constexpr OperandTile a_tile{.rows = 16, .k = 64};  // rows of 128 bytes, swizzled
constexpr OperandTile b_tile{.rows = 8, .k = 64};
constexpr int m = 16, n = 8, k = 64;

// (LANE, VALUE, STEP) -> byte: the tile divided by the atom's operand, and its lanes inside of
// that.
constexpr Swizzled fragments(const OperandTile& tile, const LaneLayout& lanes) {
  const Swizzled whole = operand_layout(tile);
  const Layout pieces = zipped_divide(whole.layout, Shape{lanes.rows, lanes.columns});
  const Layout piece = compose(mode(pieces, 0), lanes.layout), steps = mode(mode(pieces, 1), 1);
  return {whole.swizzle, whole.offset, join(mode(piece, 0), mode(piece, 1), steps)};
}
constexpr Swizzled a_bytes = fragments(a_tile, Atom::a_layout());
constexpr Swizzled b_bytes = fragments(b_tile, Atom::b_layout());
constexpr Layout d_elements = Atom::accumulator_layout().into(n, 1);  // (LANE, VALUE), row-major D
static_assert(a_bytes.layout(5, 0, 2) ==
              1 * 128 + (2 * 16 + 2) * 2);  // lane 5: row 1, k 2 of step 2

__global__ void multiply_warp(const __nv_bfloat16* a, const __nv_bfloat16* b, float* d) {
  __shared__ alignas(1024) char a_smem[a_tile.bytes()], b_smem[b_tile.bytes()];
  const int lane = threadIdx.x;
  for (int i = lane; i < m * k; i += 32)
    *reinterpret_cast<__nv_bfloat16*>(a_smem + operand_offset<a_tile>(i / k, i % k)) = a[i];
  for (int i = lane; i < n * k; i += 32)
    *reinterpret_cast<__nv_bfloat16*>(b_smem + operand_offset<b_tile>(i / k, i % k)) = b[i];
  __syncwarp();
  float accumulators[Atom::accumulators] = {};
  for (int step = 0; step < a_tile.steps(); ++step) {
    std::uint32_t of_a[Atom::a_registers], of_b[Atom::b_registers];  // two values in each
    for (int i = 0; i < Atom::a_registers; ++i)
      of_a[i] = *reinterpret_cast<std::uint32_t*>(a_smem + offset_at<a_bytes>(lane, 2 * i, step));
    for (int i = 0; i < Atom::b_registers; ++i)
      of_b[i] = *reinterpret_cast<std::uint32_t*>(b_smem + offset_at<b_bytes>(lane, 2 * i, step));
    multiply(Atom{}, accumulators, of_a, of_b);
  }
  for (int i = 0; i < Atom::accumulators; ++i) d[offset_at<d_elements>(lane, i)] = accumulators[i];
}

int main() {
  __nv_bfloat16 *a = nullptr, *b = nullptr;
  float* d = nullptr;
  cudaMallocManaged(&a, m * k * sizeof *a);
  cudaMallocManaged(&b, n * k * sizeof *b);
  cudaMallocManaged(&d, m * n * sizeof *d);
  for (int i = 0; i < m * k; ++i) a[i] = static_cast<float>(i % 13 - 6);
  for (int i = 0; i < n * k; ++i) b[i] = static_cast<float>(i % 7 - 3);
  multiply_warp<<<1, 32>>>(a, b, d);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double want = 0;
      for (int i = 0; i < k; ++i) want += double{float(a[row * k + i])} * float(b[column * k + i]);
      wrong += d[row * n + column] != want;
    }
  std::printf("%d of %d elements wrong\n", wrong, m * n);
  return wrong != 0;
}
