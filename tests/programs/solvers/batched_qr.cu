// Many small QR factorisations: one warp each, a column per lane in registers, Householder
// reflections by shuffles; dynamic indices put the columns into local memory.
#include "check.hpp"

namespace {

constexpr int rows = 12, columns = 8, batch = 37;

__global__ void factorise(const float* in, float* r, float* q, int count) {
  const int lane = threadIdx.x % 32, matrix = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (matrix >= count) return;
  // Lanes below `columns` hold A, the next `rows` the unit matrix, which becomes Q's transpose.
  float v[rows];
  for (int i = 0; i < rows; ++i)
    v[i] = lane < columns ? in[(matrix * rows + i) * columns + lane]
                          : (lane - columns == i ? 1.0f : 0.0f);
  for (int k = 0; k < columns; ++k) {
    float u[rows], norm = 0;
    for (int i = 0; i < rows; ++i) {
      u[i] = __shfl_sync(~0u, v[i], k);
      if (i >= k) norm += u[i] * u[i];
    }
    const float alpha = u[k] > 0 ? -sqrtf(norm) : sqrtf(norm);
    const float length = norm - alpha * u[k];  // half of |u|^2 with alpha taken off
    u[k] -= alpha;
    float dot = 0;
    for (int i = k; i < rows; ++i) dot += u[i] * v[i];
    for (int i = k; i < rows; ++i) v[i] -= dot / length * u[i];
  }
  for (int i = 0; i < rows; ++i) {
    if (lane < columns) r[(matrix * rows + i) * columns + lane] = i <= lane ? v[i] : 0;
    if (lane >= columns && lane < columns + rows)
      q[(matrix * rows + lane - columns) * rows + i] = v[i];
  }
}

}  // namespace

int main() {
  const auto values = reals(batch * rows * columns, 11);
  const OnDevice<float> in(values), r(values.size()), q(batch * rows * rows);
  factorise<<<blocks_for(batch, 3), 96>>>(in.get(), r.get(), q.get(), batch);
  finish();
  const auto upper = r.fetch(), turn = q.fetch();
  for (int m = 0; m < batch; ++m)
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        double sum = 0;
        for (int k = 0; k < rows; ++k)
          sum += double(turn[(m * rows + i) * rows + k]) * upper[(m * rows + k) * columns + j];
        expect(std::abs(sum - values[(m * rows + i) * columns + j]) < 1e-5, "Q times R");
        expect(i <= j || upper[(m * rows + i) * columns + j] == 0, "R is upper");
      }
      for (int j = 0; j < rows; ++j) {
        double sum = 0;
        for (int k = 0; k < rows; ++k)
          sum += double(turn[(m * rows + i) * rows + k]) * turn[(m * rows + j) * rows + k];
        expect(std::abs(sum - (i == j)) < 1e-5, "Q is orthogonal");
      }
    }
  return passed();
}
