// Tridiagonal systems by parallel cyclic reduction: one block a system, dynamic shared memory cut
// into arrays, and the same by the Thomas algorithm with one thread a system, interleaved.
#include "check.hpp"

namespace {

constexpr int size = 100, systems = 40;

__global__ void cyclic_reduction(const float* lower, const float* middle, const float* upper,
                                 const float* right, float* x) {
  extern __shared__ float memory[];
  float *a = memory, *b = a + size, *c = b + size, *d = c + size;
  const int i = threadIdx.x, base = blockIdx.x * size;
  a[i] = i > 0 ? lower[base + i] : 0;
  b[i] = middle[base + i];
  c[i] = i < size - 1 ? upper[base + i] : 0;
  d[i] = right[base + i];
  for (int step = 1; step < size; step *= 2) {
    __syncthreads();
    float na = 0, nb = b[i], nc = 0, nd = d[i];
    if (i >= step) {
      const float k = a[i] / b[i - step];
      na = -k * a[i - step], nb -= k * c[i - step], nd -= k * d[i - step];
    }
    if (i + step < size) {
      const float k = c[i] / b[i + step];
      nc = -k * c[i + step], nb -= k * a[i + step], nd -= k * d[i + step];
    }
    __syncthreads();
    a[i] = na, b[i] = nb, c[i] = nc, d[i] = nd;
  }
  x[base + i] = d[i] / b[i];
}

__global__ void thomas(const float* lower, const float* middle, const float* upper,
                       const float* right, float* x, int count) {
  const int system = blockIdx.x * blockDim.x + threadIdx.x;
  if (system >= count) return;
  float c[size], d[size];  // local memory
  const auto at = [&](int i) { return system * size + i; };
  c[0] = upper[at(0)] / middle[at(0)];
  d[0] = right[at(0)] / middle[at(0)];
  for (int i = 1; i < size; ++i) {
    const float scale = 1 / (middle[at(i)] - lower[at(i)] * c[i - 1]);
    c[i] = upper[at(i)] * scale;
    d[i] = (right[at(i)] - lower[at(i)] * d[i - 1]) * scale;
  }
  float last = x[at(size - 1)] = d[size - 1];
  for (int i = size - 2; i >= 0; --i) last = x[at(i)] = d[i] - c[i] * last;
}

}  // namespace

int main() {
  const int count = size * systems;
  const auto lower = reals(count, 12), upper = reals(count, 13), right = reals(count, 14);
  const auto middle = reals(count, 15, 3, 5);
  const OnDevice<float> a(lower), b(middle), c(upper), d(right), x(count), y(count);
  cyclic_reduction<<<systems, size, 4 * size * sizeof(float)>>>(a.get(), b.get(), c.get(), d.get(),
                                                                x.get());
  thomas<<<blocks_for(systems, 32), 32>>>(a.get(), b.get(), c.get(), d.get(), y.get(), systems);
  finish();
  const auto check = [&](const std::vector<float>& got, const char* what) {
    for (int i = 0; i < count; ++i) {
      const int place = i % size;
      double sum = double(middle[i]) * got[i] - right[i];
      if (place > 0) sum += double(lower[i]) * got[i - 1];
      if (place < size - 1) sum += double(upper[i]) * got[i + 1];
      expect(std::abs(sum) < 5e-6, what);
    }
  };
  check(x.fetch(), "cyclic reduction");
  check(y.fetch(), "Thomas");
  return passed();
}
