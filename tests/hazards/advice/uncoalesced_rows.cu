// hazard: uncoalesced
// options: --advice
// Each lane sums a row of a row-major matrix: in every step the 32 lanes touch 32 places 128 bytes
// apart, and each load moves 32 sectors for 4 bytes of use. Stored by columns the lanes are
// neighbours (best practices guide, 'Coalesced Access to Global Memory').
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int size = 32;

template <bool fixed>
// example begin: uncoalesced
__global__ void sum_rows(const int* matrix, int* sums) {
  const int row = threadIdx.x;
  int sum = 0;
#pragma unroll 1  // or the loads are made into wide ones
  for (int column = 0; column < size; ++column)
    sum += matrix[fixed ? column * size + row : row * size + column];
  sums[row] = sum;
}
// example end

template <bool fixed>
bool run() {
  std::vector<int> values(size * size);
  for (int row = 0; row < size; ++row)
    for (int column = 0; column < size; ++column)
      values[fixed ? column * size + row : row * size + column] = row * 10 + column;
  hazard::Array<int> matrix(values), sums(size);
  sum_rows<fixed><<<1, size>>>(matrix.get(), sums.get());
  hazard::finish();
  return sums.holds([](int row) { return row * 320 + 496; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
