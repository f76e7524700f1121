// A transpose three ways: a padded tile, a tile swizzled by xor, and bytes by shuffles and permutes
// in registers; then a batched one with strides of every kind.
#include "check.hpp"

namespace {

__global__ void padded(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < columns && y + i < rows) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < rows && y + i < columns) out[(y + i) * rows + x] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void swizzled(const float* in, float* out, int rows, int columns) {
  extern __shared__ float tile[];
  const auto place = [](int row, int column) { return row * 32 + (column ^ row); };
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < columns && y + i < rows)
      tile[place(threadIdx.y + i, threadIdx.x)] = in[(y + i) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < rows && y + i < columns)
      out[(y + i) * rows + x] = tile[place(threadIdx.x, threadIdx.y + i)];
}

// 4 x 4 bytes a quad: lane i holds row i, then column i.
__global__ void bytes(const unsigned* in, unsigned* out) {
  const int lane = threadIdx.x % 4;
  unsigned word = in[threadIdx.x];
  // Pairs of halves change places, then pairs of bytes.
  unsigned other = __shfl_xor_sync(~0u, word, 2);
  word = __byte_perm(word, other, lane < 2 ? 0x5410 : 0x3276);
  other = __shfl_xor_sync(~0u, word, 1);
  word = __byte_perm(word, other, lane % 2 == 0 ? 0x6240 : 0x3715);
  out[threadIdx.x] = word;
}

struct Shape {
  int size[4];
  int from[4], to[4];  // strides
};
__global__ void permute(const short* in, short* out, Shape shape, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    int rest = i, source = 0, target = 0;
    for (int mode = 3; mode >= 0; --mode) {
      const int at = rest % shape.size[mode];
      rest /= shape.size[mode];
      source += at * shape.from[mode], target += at * shape.to[mode];
    }
    out[target] = in[source];
  }
}

}  // namespace

int main() {
  constexpr int rows = 75, columns = 50;
  const auto values = reals(rows * columns, 1);
  const OnDevice<float> in(values), a(values.size()), b(values.size());
  const dim3 grid(blocks_for(columns, 32), blocks_for(rows, 32)), block(32, 8);
  padded<<<grid, block>>>(in.get(), a.get(), rows, columns);
  swizzled<<<grid, block, 32 * 32 * sizeof(float)>>>(in.get(), b.get(), rows, columns);
  finish();
  std::vector<float> want(values.size());
  for (int i = 0; i < rows * columns; ++i) want[i % columns * rows + i / columns] = values[i];
  expect_equal(a.fetch(), want, "padded");
  expect_equal(b.fetch(), want, "swizzled");

  const auto words = numbers(32, 2);
  const OnDevice<unsigned> word_in(words), word_out(32);
  bytes<<<1, 32>>>(word_in.get(), word_out.get());
  finish();
  std::vector<unsigned> turned(32);
  for (int i = 0; i < 128; ++i) {
    const int quad = i / 16, row = i / 4 % 4, column = i % 4;
    turned[quad * 4 + column] |= (words[quad * 4 + row] >> 8 * column & 255u) << 8 * row;
  }
  expect_equal(word_out.fetch(), turned, "bytes");

  const Shape shape{{3, 4, 5, 6}, {120, 30, 6, 1}, {5, 90, 1, 15}};  // (0,1,2,3) to (1,3,0,2)
  std::vector<short> numbers_in(360), permuted(360);
  for (int i = 0; i < 360; ++i) numbers_in[i] = static_cast<short>(i);
  for (int i = 0; i < 360; ++i)
    permuted[i / 120 * 5 + i / 30 % 4 * 90 + i / 6 % 5 + i % 6 * 15] = static_cast<short>(i);
  const OnDevice<short> device_in(numbers_in), device_out(360);
  permute<<<2, 64>>>(device_in.get(), device_out.get(), shape, 360);
  finish();
  expect_equal(device_out.fetch(), permuted, "four modes");
  return passed();
}
