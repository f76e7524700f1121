// Option prices by Monte Carlo: a linear congruential generator that can jump, Box-Muller with fast
// functions, paths summed in float64, compared with the same paths on the host.
#include <cstdint>

#include "check.hpp"

namespace {

constexpr int threads = 64, blocks = 4, per_thread = 16;
constexpr std::uint64_t multiplier = 6364136223846793005ull, increment = 1442695040888963407ull;

struct Generator {
  std::uint64_t state;
  __host__ __device__ unsigned next() {
    state = state * multiplier + increment;
    return static_cast<unsigned>(state >> 32);
  }
  // As if next() had been called `count` times.
  __host__ __device__ void jump(std::uint64_t count) {
    std::uint64_t factor = multiplier, term = increment, a = 1, c = 0;
    for (; count > 0; count /= 2) {
      if (count % 2) a *= factor, c = c * factor + term;
      term *= factor + 1;
      factor *= factor;
    }
    state = a * state + c;
  }
};

__host__ __device__ float open_unit(unsigned bits) {
  return (static_cast<float>(bits >> 9) + 0.5f) * 0x1p-23f;
}

__global__ void simulate(float spot, float drift, float volatility, float strike, float* payoffs,
                         double* total) {
  const int thread = blockIdx.x * threads + threadIdx.x;
  Generator generator{42};
  generator.jump(static_cast<std::uint64_t>(thread) * per_thread * 2);
  double sum = 0;
  for (int path = 0; path < per_thread; ++path) {
    const float u = open_unit(generator.next()), v = open_unit(generator.next());
    const float normal = sqrtf(-2 * __logf(u)) * __cosf(6.2831853f * v);
    const float payoff = fmaxf(spot * __expf(drift + volatility * normal) - strike, 0);
    payoffs[thread * per_thread + path] = payoff;
    sum += payoff;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

}  // namespace

int main() {
  constexpr int paths = threads * blocks * per_thread;
  const OnDevice<float> payoffs(paths);
  const OnDevice<double> total(std::vector<double>(1, 0));
  simulate<<<blocks, threads>>>(100, 0.02f, 0.2f, 105, payoffs.get(), total.get());
  finish();
  Generator generator{42};
  std::vector<double> want;
  double sum = 0;
  for (int path = 0; path < paths; ++path) {
    const double u = open_unit(generator.next()), v = open_unit(generator.next());
    const double normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
    want.push_back(std::max(100 * std::exp(double(0.02f) + double(0.2f) * normal) - 105, 0.0));
    sum += want.back();
  }
  expect_close(payoffs.fetch(), want, 2e-3, "every path");  // fast functions, a price near 100
  expect(std::abs(total.fetch()[0] - sum) / paths < 2e-4, "the price");
  return passed();
}
