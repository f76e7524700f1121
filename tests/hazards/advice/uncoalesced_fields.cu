// hazard: uncoalesced
// options: --advice
// One field of an array of 32-byte structures is read: every lane needs a sector of its own. As an
// array of its own the field is 128 bytes for the whole warp.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int count = 64;

struct Particle {
  float position[3], speed[3], mass;
  int kind;
};

__global__ void scale(const Particle* particles, float* out) {
  out[threadIdx.x] = particles[threadIdx.x].mass * 2;
}

__global__ void scale(const float* masses, float* out) {
  out[threadIdx.x] = masses[threadIdx.x] * 2;
}

template <bool fixed>
bool run() {
  std::vector<Particle> values(count);
  std::vector<float> masses(count);
  for (int i = 0; i < count; ++i) values[i].mass = masses[i] = static_cast<float>(i);
  hazard::Array<Particle> particles(values);
  hazard::Array<float> fields(masses), out(count);
  if constexpr (fixed)
    scale<<<1, count>>>(fields.get(), out.get());
  else
    scale<<<1, count>>>(particles.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return i * 2; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
