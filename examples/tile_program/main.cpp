// RMS norm with a residual, as a tile program: x + y is kept, and its rows are scaled to length 1.
// Compiled at the first call; longer tensors and other widths of the same class are the same
// kernel.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

#include "jit/program.hpp"

using namespace aisp::jit;

static const Program add_and_norm("add_and_norm", [](Input<2> x, Input<2> y, Input<1> gain,
                                                     Output<2> sum_of_both, Output<2> normed) {
  auto row = blocks(x.extent(0), 1);
  auto v = x.load({row, 0}, {1, whole}) + y.load({row, 0}, {1, whole});
  auto squares = sum(v * v, axis(1)) / to(Arg(x.extent(1)), f32);
  sum_of_both.store({row, 0}, v);
  normed.store({row, 0}, v * rsqrt(squares + 1e-6) * gain.load({0}, {whole}));
});

static void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

static float* on_device(const std::vector<float>& numbers) {
  float* memory = nullptr;
  check(cudaMalloc(reinterpret_cast<void**>(&memory), numbers.size() * sizeof(float)));
  check(cudaMemcpy(memory, numbers.data(), numbers.size() * sizeof(float), cudaMemcpyHostToDevice));
  return memory;
}

static void run(std::int64_t rows, std::int64_t columns) {
  const auto count = static_cast<std::size_t>(rows * columns);
  std::vector<float> x(count), y(count), gain(static_cast<std::size_t>(columns), 2.0f);
  for (std::size_t at = 0; at < count; ++at) {
    x[at] = std::sin(static_cast<float>(at));
    y[at] = std::cos(static_cast<float>(3 * at));
  }
  float* const memory[] = {on_device(x), on_device(y), on_device(gain),
                           on_device(std::vector<float>(count)),
                           on_device(std::vector<float>(count))};
  add_and_norm(nullptr, Tensor(memory[0], {rows, columns}), Tensor(memory[1], {rows, columns}),
               Tensor(memory[2], {columns}), Tensor(memory[3], {rows, columns}),
               Tensor(memory[4], {rows, columns}));
  std::vector<float> normed(count);
  check(cudaMemcpy(normed.data(), memory[4], count * sizeof(float), cudaMemcpyDeviceToHost));
  for (float* const one : memory) check(cudaFree(one));

  double worst = 0;
  bool right_everywhere = true;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    const auto width = static_cast<std::size_t>(columns);
    double squares = 0;
    for (std::size_t at = row * width; at < (row + 1) * width; ++at)
      squares += std::pow(static_cast<double>(x[at]) + y[at], 2) / static_cast<double>(columns);
    for (std::size_t at = row * width; at < (row + 1) * width; ++at) {
      const double right = 2 * (static_cast<double>(x[at]) + y[at]) / std::sqrt(squares + 1e-6);
      const double error = std::fabs(normed[at] - right);
      worst = std::max(worst, error);
      right_everywhere = right_everywhere && error < 1e-4;  // what is no number is not less either
    }
  }
  std::printf("%lld x %lld: largest error %.1e\n", static_cast<long long>(rows),
              static_cast<long long>(columns), worst);
  if (!right_everywhere) throw std::runtime_error("wrong");
}

int main() {
  try {
    run(64, 1000);
    run(7, 800);  // another length and width: nothing is compiled
    std::printf("%d kernel\n", add_and_norm.variants());
    return add_and_norm.variants() == 1 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tile_program: %s\n", error.what());
    return 1;
  }
}
