// What a tile program costs beside its kernel, on a GPU: the first compile, the guards of a warm
// call, and a launch against a plain one of a kernel with the same arguments.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "jit/program.hpp"
#include "tests/jit/support/programs.hpp"

using namespace aisp;
using Clock = std::chrono::steady_clock;

struct Pair {
  void* data;
  long long extent[2], stride[2];
};
__global__ void two_tensors(const __grid_constant__ Pair x, const __grid_constant__ Pair y) {
  if (threadIdx.x == 0 && x.extent[0] < 0) *static_cast<float*>(y.data) = 0;
}

int batches_of_calls = 101;  // --quick: 1

// The median over batches of the host's time for one call, in nanoseconds.
template <class Call>
double host_ns(const Call& call) {
  constexpr int calls = 200;  // fewer than a stream's queue holds: none waits for the device
  std::vector<double> batches;
  for (int batch = 0; batch < batches_of_calls; ++batch) {
    const auto begin = Clock::now();
    for (int turn = 0; turn < calls; ++turn) call();
    const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
    batches.push_back(took.count() / calls);
    if (cudaDeviceSynchronize() != cudaSuccess) std::abort();
  }
  std::sort(batches.begin(), batches.end());
  return batches[batches.size() / 2];
}

void print_compile(const char* name, const jit::Inspection& seen) {
  std::printf("%-14s cold compile %.2f s", name, seen.compiled.seconds);
  for (const auto& one : seen.compiled.resources)  // none for the simulator: PTX alone
    std::printf(", %d registers, %d bytes spilled", one.registers, one.spill_stores);
  std::puts("");
}

int main(int count, char** words) {
  if (count > 1 && std::string(words[1]) == "--quick") batches_of_calls = 1;
  const auto folder =
      std::filesystem::temp_directory_path() / ("program_costs_" + std::to_string(getpid()));
  jit::Store store({.folder = folder});
  const jit::ProgramOptions options{.store = &store, .tuned = folder / "none"};
  float *x = nullptr, *y = nullptr;
  int* labels = nullptr;
  if (cudaMalloc(&x, 1 << 20) != cudaSuccess || cudaMalloc(&y, 1 << 20) != cudaSuccess ||
      cudaMalloc(&labels, 1 << 10) != cudaSuccess)
    return std::puts("no GPU"), 4;
  const jit::Array<int> array(labels, 256, "labels");
  const auto bf16 = [](float* data, std::int64_t rows, std::int64_t columns) {
    return jit::Tensor(data, jit::bf16, {rows, columns});
  };
  const jit::Program softmax("softmax", jit::samples::softmax, options);
  print_compile("softmax", softmax.inspect(bf16(x, 8, 4096), bf16(y, 8, 4096)));
  const jit::Program layernorm("layernorm", jit::samples::layernorm, options);
  print_compile("layernorm", layernorm.inspect(bf16(x, 8, 4096), jit::Tensor(x + 65536, {4096}),
                                               jit::Tensor(x + 131072, {4096}), bf16(y, 8, 4096)));
  const jit::Program loss("cross_entropy", jit::samples::cross_entropy(array), options);
  print_compile("cross_entropy", loss.inspect(bf16(x, 8, 4096), jit::Tensor(y, {8})));
  const jit::Program add("vector_add", jit::samples::vector_add, options);
  print_compile("vector_add", add.inspect(jit::Tensor(x, {8192}), jit::Tensor(x + 8192, {8192}),
                                          jit::Tensor(y, {8192})));

  // A call that needs no block does everything but the launch; the last of four variants.
  const jit::Program rest(
      "rest",
      [](jit::Input<2> from, jit::Output<2> to) {
        auto row = jit::blocks(from.extent(0) - 1, 1);
        auto v = from.load({row + 1, 0}, {1, jit::whole});
        to.store_part({row + 1, 0}, exp(v - max(v, jit::axis(1))));
      },
      options);
  for (const std::int64_t columns : {64, 1024, 2048, 4096})
    rest.prepare(bf16(x, 1, columns), bf16(y, 1, columns));
  const jit::Tensor none[] = {bf16(x, 1, 4096), bf16(y, 1, 4096)};
  std::printf("guards of a warm call %.0f ns\n", host_ns([&] { rest.launch(nullptr, none); }));

  const jit::Tensor one[] = {bf16(x, 1, 4096), bf16(y, 1, 4096)};
  const Pair plain_x{x, {1, 4096}, {4096, 1}}, plain_y{y, {1, 4096}, {4096, 1}};
  const double plain = host_ns([&] { two_tensors<<<1, 128>>>(plain_x, plain_y); });
  const double program = host_ns([&] { softmax.launch(nullptr, one); });
  std::printf("a launch %.0f ns, of a program %.0f ns: %.0f ns more\n", plain, program,
              program - plain);
  std::filesystem::remove_all(folder);
}
