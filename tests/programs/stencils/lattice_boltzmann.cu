// Lattice-Boltzmann with nine velocities in a periodic channel with walls: populations by
// direction, collide and stream in one pass, bounce back at the walls.
#include <algorithm>

#include "check.hpp"

namespace {

constexpr int width = 40, height = 24, cells = width * height, directions = 9, steps = 6;

struct Model {
  int x[directions], y[directions], opposite[directions];
  float weight[directions];
};
constexpr Model host_model{
    {0, 1, 0, -1, 0, 1, -1, -1, 1},
    {0, 0, 1, 0, -1, 1, 1, -1, -1},
    {0, 3, 4, 1, 2, 7, 8, 5, 6},
    {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36}};
__constant__ Model model = host_model;

// The same arithmetic for float on the device and double on the host.
template <class Real>
__host__ __device__ void collide(const Model& m, Real (&f)[directions], Real omega, Real force) {
  Real density = 0, u = 0, v = 0;
  for (int i = 0; i < directions; ++i) density += f[i], u += f[i] * m.x[i], v += f[i] * m.y[i];
  u = u / density + force;
  v /= density;
  for (int i = 0; i < directions; ++i) {
    const Real along = 3 * (m.x[i] * u + m.y[i] * v);
    const Real rest =
        m.weight[i] * density * (1 + along + along * along / 2 - Real(1.5) * (u * u + v * v));
    f[i] += omega * (rest - f[i]);
  }
}

__global__ void advance(const float* from, float* to, float omega, float force) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  const int x = cell % width, y = cell / width;
  float f[directions];
  for (int i = 0; i < directions; ++i) f[i] = from[i * cells + cell];
  collide(model, f, omega, force);
  for (int i = 0; i < directions; ++i) {
    const int u = (x + model.x[i] + width) % width, v = y + model.y[i];
    if (v < 0 || v >= height)
      to[model.opposite[i] * cells + cell] = f[i];
    else
      to[i * cells + v * width + u] = f[i];
  }
}

}  // namespace

int main() {
  auto start = reals(directions * cells, 3, 0.9f, 1.1f);
  for (int i = 0; i < directions * cells; ++i) start[i] *= host_model.weight[i / cells];
  const OnDevice<float> a(start), b(start.size());
  float *from = a.get(), *to = b.get();
  for (int step = 0; step < steps; ++step, std::swap(from, to))
    advance<<<blocks_for(cells, 128), 128>>>(from, to, 1.2f, 0.01f);
  finish();
  std::vector<double> want(start.begin(), start.end()), next(want.size());
  for (int step = 0; step < steps; ++step, want.swap(next))
    for (int cell = 0; cell < cells; ++cell) {
      double f[directions];
      for (int i = 0; i < directions; ++i) f[i] = want[i * cells + cell];
      collide<double>(host_model, f, 1.2f, 0.01f);
      for (int i = 0; i < directions; ++i) {
        const int u = (cell % width + host_model.x[i] + width) % width,
                  v = cell / width + host_model.y[i];
        if (v < 0 || v >= height)
          next[host_model.opposite[i] * cells + cell] = f[i];
        else
          next[i * cells + v * width + u] = f[i];
      }
    }
  expect_close(a.fetch(), want, 1e-5, "populations");
  return passed();
}
