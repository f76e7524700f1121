// A batch of radix-2 transforms in shared memory: bit reversal, then butterflies with a table of
// twiddle factors; forth and back again.
#include <complex>

#include "check.hpp"

namespace {

constexpr int size = 256, bits = 8, batch = 5;

__device__ float2 product(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__global__ void __launch_bounds__(size / 2)
    transform(const float2* in, float2* out, float direction, float scale) {
  __shared__ float2 values[size], twiddles[size / 2];
  const int thread = threadIdx.x;
  for (int i = thread; i < size; i += size / 2)
    values[__brev(i) >> (32 - bits)] = in[blockIdx.x * size + i];
  float sine, cosine;
  sincospif(direction * 2.0f * static_cast<float>(thread) / size, &sine, &cosine);
  twiddles[thread] = make_float2(cosine, sine);
  __syncthreads();
  for (int half = 1; half < size; half *= 2) {
    const int at = thread / half * half * 2 + thread % half;
    const float2 even = values[at];
    const float2 odd = product(values[at + half], twiddles[thread % half * (size / 2 / half)]);
    values[at] = make_float2(even.x + odd.x, even.y + odd.y);
    values[at + half] = make_float2(even.x - odd.x, even.y - odd.y);
    __syncthreads();
  }
  for (int i = thread; i < size; i += size / 2)
    out[blockIdx.x * size + i] = make_float2(values[i].x * scale, values[i].y * scale);
}

}  // namespace

int main() {
  const auto raw = reals(2 * size * batch, 5);
  std::vector<float2> signal;
  for (int i = 0; i < size * batch; ++i) signal.push_back(make_float2(raw[2 * i], raw[2 * i + 1]));
  const OnDevice<float2> in(signal), spectrum(signal.size()), back(signal.size());
  transform<<<batch, size / 2>>>(in.get(), spectrum.get(), -1, 1);
  transform<<<batch, size / 2>>>(spectrum.get(), back.get(), 1, 1.0f / size);
  finish();

  const auto got = spectrum.fetch(), again = back.fetch();
  for (int b = 0; b < batch; ++b)
    for (int k = 0; k < size; ++k) {
      std::complex<double> sum = 0;
      for (int n = 0; n < size; ++n) {
        const float2 value = signal[b * size + n];
        sum += std::complex<double>(value.x, value.y) * std::polar(1.0, -2 * M_PI * k * n / size);
      }
      const float2 value = got[b * size + k];
      // Eight stages, each of which rounds a few times what is at most the sum of magnitudes.
      expect(std::abs(sum - std::complex<double>(value.x, value.y)) < size * 1.5 * 40 * 0x1p-24,
             "spectrum");
      const float2 start = signal[b * size + k], end = again[b * size + k];
      expect(std::hypot(start.x - end.x, start.y - end.y) < 80 * 0x1p-20, "and back");
    }
  return passed();
}
