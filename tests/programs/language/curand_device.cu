// cuRAND's device header: Philox against the published test vectors of Philox4x32-10, Sobol'
// against the Gray code, XORWOW, MRG32k3a and Philox against their own jumps ahead, and the
// distributions.
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>

#include "check.hpp"

constexpr int threads = 64, draws = 50;

__global__ void philox(unsigned* out) {
  // Key and counter of all zeros and of all ones, from the authors' list of known answers.
  curandStatePhilox4_32_10_t state;
  curand_init(0, 0, 0, &state);
  const uint4 zeros = curand4(&state);
  const uint4 ones = curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
  const uint4 both[2] = {zeros, ones};
  for (int i = 0; i < 2; ++i) {
    out[4 * i] = both[i].x;
    out[4 * i + 1] = both[i].y;
    out[4 * i + 2] = both[i].z;
    out[4 * i + 3] = both[i].w;
  }
}

template <class State>
__global__ void draw(unsigned* out, unsigned long long seed) {
  State state;
  curand_init(seed, threadIdx.x, 0, &state);
  for (int i = 0; i < draws; ++i) out[threadIdx.x * draws + i] = curand(&state);
}
template <class State>
__global__ void draw_skipping(unsigned* out, unsigned long long seed) {
  State state;
  curand_init(seed, threadIdx.x, 0, &state);
  skipahead(20, &state);
  for (int i = 20; i < draws; ++i) out[threadIdx.x * draws + i] = curand(&state);
}

__global__ void sobol(unsigned* out, curandDirectionVectors32_t* vectors) {
  curandStateSobol32_t state;
  curand_init(vectors[0], 0u, &state);
  for (int i = 0; i < draws; ++i) out[i] = curand(&state);
}

__global__ void distributions(double* sums) {
  curandStateXORWOW_t state;
  curand_init(1234, threadIdx.x, 0, &state);
  double mean = 0, square = 0, uniform = 0, poisson = 0;
  bool inside = true;
  for (int i = 0; i < 400; ++i) {
    const float normal = curand_normal(&state);
    mean += normal;
    square += normal * normal;
    const float value = curand_uniform(&state);
    inside &= value > 0 && value <= 1;
    uniform += value;
    poisson += curand_poisson(&state, 4.0);
  }
  atomicAdd(&sums[0], mean);
  atomicAdd(&sums[1], square);
  atomicAdd(&sums[2], inside ? uniform : 1e9);
  atomicAdd(&sums[3], poisson);
}

template <class State>
static int compare_skips(unsigned* out, unsigned* skipped, const char* name) {
  draw<State><<<1, threads>>>(out, 99);
  draw_skipping<State><<<1, threads>>>(skipped, 99);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < threads * draws; ++i)
    if (i % draws >= 20 && out[i] != skipped[i]) {
      std::printf("%s: draw %d is %u, behind a jump %u\n", name, i, out[i], skipped[i]);
      return 1;
    }
  for (int i = 1; i < threads; ++i)
    if (out[i * draws] == out[(i - 1) * draws]) return 1;
  return 0;
}

int main() {
  unsigned *out = nullptr, *skipped = nullptr;
  CHECK(cudaMallocManaged(&out, threads * draws * sizeof(unsigned)));
  CHECK(cudaMallocManaged(&skipped, threads * draws * sizeof(unsigned)));
  philox<<<1, 1>>>(out);
  CHECK(cudaDeviceSynchronize());
  const unsigned known[8] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8,
                             0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
  for (int i = 0; i < 8; ++i)
    if (out[i] != known[i]) {
      std::printf("Philox %d: %08x, not %08x\n", i, out[i], known[i]);
      return 1;
    }
  if (compare_skips<curandStateXORWOW_t>(out, skipped, "XORWOW") != 0) return 1;
  if (compare_skips<curandStateMRG32k3a_t>(out, skipped, "MRG32k3a") != 0) return 1;
  if (compare_skips<curandStatePhilox4_32_10_t>(out, skipped, "Philox") != 0) return 1;

  // The first dimension of Sobol's sequence has the powers of two as direction numbers: the values
  // are the Gray code of the index with its bits reversed.
  curandDirectionVectors32_t* vectors = nullptr;
  CHECK(cudaMallocManaged(&vectors, sizeof *vectors));
  for (int i = 0; i < 32; ++i) (*vectors)[i] = 1u << (31 - i);
  sobol<<<1, 1>>>(out, vectors);
  CHECK(cudaDeviceSynchronize());
  for (unsigned i = 0; i < draws; ++i) {
    unsigned expected = 0;
    for (unsigned bit = 0; bit < 32; ++bit)
      if (((i ^ (i >> 1)) >> bit & 1) != 0) expected ^= 1u << (31 - bit);
    if (out[i] != expected) {
      std::printf("Sobol' %u: %08x, not %08x\n", i, out[i], expected);
      return 1;
    }
  }

  double* sums = nullptr;
  CHECK(cudaMallocManaged(&sums, 4 * sizeof(double)));
  for (int i = 0; i < 4; ++i) sums[i] = 0;
  distributions<<<2, 32>>>(sums);
  CHECK(cudaDeviceSynchronize());
  const double count = 64 * 400;
  const bool good = std::abs(sums[0] / count) < 0.05 && std::abs(sums[1] / count - 1) < 0.05 &&
                    std::abs(sums[2] / count - 0.5) < 0.02 && std::abs(sums[3] / count - 4) < 0.1;
  if (!good) {
    std::printf("means %g %g %g %g\n", sums[0] / count, sums[1] / count, sums[2] / count,
                sums[3] / count);
    return 1;
  }
  CHECK(cudaFree(out));
  CHECK(cudaFree(skipped));
  CHECK(cudaFree(vectors));
  CHECK(cudaFree(sums));
  std::printf("ok\n");
  return 0;
}
