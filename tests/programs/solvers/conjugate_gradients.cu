// Conjugate gradients on the Poisson matrix of a square, all iterations in one cooperative grid:
// dot products by atomics and grid barriers, no step on the host.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.hpp"

namespace cg = cooperative_groups;

namespace {

constexpr int edge = 24, unknowns = edge * edge, limit = 200;

__device__ double laplace(const double* p, int i) {
  const int x = i % edge, y = i / edge;
  double value = 4 * p[i];
  if (x > 0) value -= p[i - 1];
  if (x < edge - 1) value -= p[i + 1];
  if (y > 0) value -= p[i - edge];
  if (y < edge - 1) value -= p[i + edge];
  return value;
}

__device__ void add_to(double* total, double part) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  part = cg::reduce(warp, part, cg::plus<double>());
  if (warp.thread_rank() == 0) atomicAdd(total, part);
}

// A sum of its own for every product of every iteration: nobody has to clear one in time.
struct Sums {
  double residual[limit + 1], curvature[limit];
};

__global__ void solve(const double* b, double* x, double* r, double* p, double* ap, Sums* sums,
                      int* iterations) {
  const auto grid = cg::this_grid();
  const int start = static_cast<int>(grid.thread_rank()), step = static_cast<int>(grid.size());
  double part = 0;
  for (int i = start; i < unknowns; i += step) {
    x[i] = 0;
    r[i] = p[i] = b[i];
    part += b[i] * b[i];
  }
  add_to(&sums->residual[0], part);
  grid.sync();
  int turn = 0;
  for (; turn < limit && sums->residual[turn] > 1e-20; ++turn) {
    part = 0;
    for (int i = start; i < unknowns; i += step) {
      ap[i] = laplace(p, i);
      part += p[i] * ap[i];
    }
    add_to(&sums->curvature[turn], part);
    grid.sync();
    const double alpha = sums->residual[turn] / sums->curvature[turn];
    part = 0;
    for (int i = start; i < unknowns; i += step) {
      x[i] += alpha * p[i];
      r[i] -= alpha * ap[i];
      part += r[i] * r[i];
    }
    add_to(&sums->residual[turn + 1], part);
    grid.sync();
    const double beta = sums->residual[turn + 1] / sums->residual[turn];
    for (int i = start; i < unknowns; i += step) p[i] = r[i] + beta * p[i];
    grid.sync();
  }
  if (start == 0) *iterations = turn;
}

}  // namespace

int main() {
  std::vector<double> b;
  for (const float value : reals(unknowns, 3)) b.push_back(value);
  const OnDevice<double> right(b), x(unknowns), r(unknowns), p(unknowns), ap(unknowns);
  const OnDevice<int> iterations(1);
  const OnDevice<Sums> sums(1);
  CHECK(cudaMemset(sums.get(), 0, sizeof(Sums)));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 6;
  config.blockDim = 96;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, solve, static_cast<const double*>(right.get()), x.get(),
                           r.get(), p.get(), ap.get(), sums.get(), iterations.get()));
  CHECK(cudaDeviceSynchronize());
  const int turns = iterations.fetch()[0];
  expect(turns > 10 && turns < limit, "it converges");
  const auto got = x.fetch();
  for (int i = 0; i < unknowns; ++i) {
    const int column = i % edge, row = i / edge;
    double value = 4 * got[i] - b[i];
    if (column > 0) value -= got[i - 1];
    if (column < edge - 1) value -= got[i + 1];
    if (row > 0) value -= got[i - edge];
    if (row < edge - 1) value -= got[i + edge];
    expect(std::abs(value) < 1e-9, "residual");
  }
  return passed();
}
