// Bodies under gravity: tiles of positions in shared memory, rsqrtf, a leapfrog of several steps.
#include <algorithm>

#include "check.hpp"

namespace {

constexpr int bodies = 200, tile = 64, steps = 3;
constexpr float softening = 0.05f, step_length = 0.01f;

__global__ void advance(const float4* from, float4* to, float3* velocities) {
  __shared__ float4 held[tile];
  const int i = blockIdx.x * tile + threadIdx.x;
  const float4 own = i < bodies ? from[i] : make_float4(0, 0, 0, 0);
  float3 pull = make_float3(0, 0, 0);
  for (int start = 0; start < bodies; start += tile) {
    const int other = start + static_cast<int>(threadIdx.x);
    held[threadIdx.x] = other < bodies ? from[other] : make_float4(0, 0, 0, 0);  // without mass
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < tile; ++j) {
      const float x = held[j].x - own.x, y = held[j].y - own.y, z = held[j].z - own.z;
      const float inverse = rsqrtf(x * x + y * y + z * z + softening);
      const float strength = held[j].w * inverse * inverse * inverse;
      pull.x += strength * x, pull.y += strength * y, pull.z += strength * z;
    }
    __syncthreads();
  }
  if (i >= bodies) return;
  float3 v = velocities[i];
  v.x += step_length * pull.x, v.y += step_length * pull.y, v.z += step_length * pull.z;
  velocities[i] = v;
  to[i] = make_float4(own.x + step_length * v.x, own.y + step_length * v.y,
                      own.z + step_length * v.z, own.w);
}

}  // namespace

int main() {
  const auto raw = reals(4 * bodies, 1);
  std::vector<float4> start;
  for (int i = 0; i < bodies; ++i)
    start.push_back(make_float4(raw[4 * i], raw[4 * i + 1], raw[4 * i + 2], 1 + raw[4 * i + 3]));
  const OnDevice<float4> a(start), b(bodies);
  const OnDevice<float3> velocities(std::vector<float3>(bodies, make_float3(0, 0, 0)));
  float4 *from = a.get(), *to = b.get();
  for (int step = 0; step < steps; ++step, std::swap(from, to))
    advance<<<blocks_for(bodies, tile), tile>>>(from, to, velocities.get());
  finish();
  struct Body {
    double p[3], v[3], mass;
  };
  std::vector<Body> want;
  for (const float4& at : start) want.push_back({{at.x, at.y, at.z}, {}, at.w});
  for (int step = 0; step < steps; ++step) {
    const auto last = want;
    for (int i = 0; i < bodies; ++i) {
      double pull[3] = {};
      for (const Body& other : last) {
        double apart[3], square = softening;
        for (int k = 0; k < 3; ++k)
          apart[k] = other.p[k] - last[i].p[k], square += apart[k] * apart[k];
        for (int k = 0; k < 3; ++k) pull[k] += other.mass * apart[k] / (square * std::sqrt(square));
      }
      for (int k = 0; k < 3; ++k) {
        want[i].v[k] += step_length * pull[k];
        want[i].p[k] += step_length * want[i].v[k];
      }
    }
  }
  const auto got = b.fetch();
  for (int i = 0; i < bodies; ++i)
    expect(std::abs(got[i].x - want[i].p[0]) < 1e-4 && std::abs(got[i].y - want[i].p[1]) < 1e-4 &&
               std::abs(got[i].z - want[i].p[2]) < 1e-4 && got[i].w == start[i].w,
           "positions");
  return passed();
}
