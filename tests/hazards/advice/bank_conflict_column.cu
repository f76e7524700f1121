// hazard: bank-conflict
// options: --advice
// A 32x32 tile is written by rows and read by columns: the 32 words of a column lie in one bank and
// are read one after the other. A 33rd column moves each row by a bank.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
// example begin: bank-conflict
__global__ void transpose(const int* in, int* out) {
  __shared__ int tile[32][fixed ? 33 : 32];
  const int column = threadIdx.x;
  for (int row = threadIdx.y; row < 32; row += 8) tile[row][column] = in[row * 32 + column];
  __syncthreads();
  for (int row = threadIdx.y; row < 32; row += 8) out[row * 32 + column] = tile[column][row];
}
// example end

template <bool fixed>
bool run() {
  std::vector<int> values(32 * 32);
  for (int i = 0; i < 32 * 32; ++i) values[i] = i;
  hazard::Array<int> in(values), out(32 * 32);
  transpose<fixed><<<1, dim3(32, 8)>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return i % 32 * 32 + i / 32; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
