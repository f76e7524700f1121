// What a repeated call costs the processor: microseconds for each call of gemm, attention, conv2d
// and contract, in C++ and through the C interface, beside running a plan that the caller kept.
// Shapes are small, so that the GPU keeps up; calls are enqueued in batches, and a batch is waited
// for outside its time. Medians over the batches, with the quarter and three quarters of them.
//   ninja -C build call_times && build/bin/call_times [calls in a batch, 200] [batches, 31]
// On the simulator, where the time is the simulator's and says nothing but that it works:
//   build/bin/aisp sim --device h200,sms=4 build/bin/call_times 2 3
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "binding/c/aisp.h"
#include "tile/device/attention/attention.hpp"
#include "tile/device/contract/contract.hpp"
#include "tile/device/conv2d/conv2d.hpp"
#include "tile/device/gemm/gemm.hpp"
#include "tile/device/launch/tensor_map.hpp"

using namespace aisp;

namespace {

using namespace tile::device;
using Call = std::function<void(cudaStream_t)>;

int calls = 200, batches = 31;

void* memory(std::int64_t elements) {
  void* made = nullptr;
  const auto bytes = static_cast<std::size_t>(elements) * 2;
  check_cuda(cudaMalloc(&made, bytes), "cudaMalloc");
  check_cuda(cudaMemset(made, 0, bytes), "cudaMemset");
  return made;
}

// Microseconds for each call; of what is not planned yet, the first one apart.
void measure(const char* what, const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  const auto first_start = Clock::now();
  call(stream);
  const double first = since(first_start);
  check_cuda(cudaStreamSynchronize(stream), what);
  std::vector<double> times;
  for (int batch = -2; batch < batches; ++batch) {  // two to warm up
    const auto start = Clock::now();
    for (int at = 0; at < calls; ++at) call(stream);
    const double each = since(start) / calls;
    check_cuda(cudaStreamSynchronize(stream), what);
    if (batch >= 0) times.push_back(each);
  }
  check_cuda(cudaStreamDestroy(stream), "stream");
  std::sort(times.begin(), times.end());
  const auto at = [&](std::size_t quarter) { return times[(times.size() - 1) * quarter / 4]; };
  std::printf("| %-34s | %8.2f | %8.2f | %8.2f | %10.1f |\n", what, at(2), at(1), at(3), first);
  std::fflush(stdout);
}

GemmProblem gemm_problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem problem{.m = m, .n = n, .k = k};
  problem.a = {.data = memory(m * k), .stride = k};
  problem.b = {.data = memory(n * k), .stride = k};
  problem.d = {.data = memory(m * n), .stride = n};
  return problem;
}

void gemms() {
  const GemmProblem whole = gemm_problem(64, 64, 64), split = gemm_problem(64, 128, 4096);
  const Plan plan = plan_gemm(whole);
  measure("gemm, a plan that the caller kept", [&](cudaStream_t stream) { plan.run(stream); });
  measure("gemm", [&](cudaStream_t stream) { gemm(whole, stream); });
  measure("gemm, K long", [&](cudaStream_t stream) { gemm(split, stream); });
}

struct CTensor {
  std::vector<std::int64_t> shape, strides;
  aisp_tensor tensor{};

  CTensor(std::vector<std::int64_t> extents, std::vector<std::int64_t> steps)
      : shape(std::move(extents)), strides(std::move(steps)) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    constexpr int cuda = 2, bf16 = 4;
    tensor.data = memory(count);
    tensor.device_type = cuda;
    tensor.ndim = static_cast<std::int32_t>(shape.size());
    tensor.code = bf16, tensor.bits = 16, tensor.lanes = 1;
    tensor.shape = shape.data(), tensor.strides = strides.data();
  }
  CTensor(const CTensor&) = delete;
};

void check_c(aisp_status status) {
  if (status != AISP_OK) base::refuse(base::Exit::environment, aisp_last_error());
}

void c_calls() {
  const CTensor a({64, 64}, {64, 1}), b({64, 64}, {1, 64}), d({64, 64}, {64, 1}), bias({64}, {1});
  aisp_gemm_arguments product = AISP_GEMM_INIT;
  product.a = &a.tensor, product.b = &b.tensor, product.d = &d.tensor;
  measure("gemm in C", [&](cudaStream_t stream) { check_c(aisp_gemm(&product, stream)); });
  product.bias = &bias.tensor, product.activation = AISP_GELU;
  measure("gemm in C, bias and GELU",
          [&](cudaStream_t stream) { check_c(aisp_gemm(&product, stream)); });
  const CTensor q({1, 1, 64, 64}, {4096, 4096, 64, 1}), k({1, 1, 64, 64}, {4096, 4096, 64, 1}),
      v({1, 1, 64, 64}, {4096, 4096, 64, 1}), o({1, 1, 64, 64}, {4096, 4096, 64, 1});
  aisp_attention_arguments heads = AISP_ATTENTION_INIT;
  heads.q = &q.tensor, heads.k = &k.tensor, heads.v = &v.tensor, heads.o = &o.tensor;
  measure("attention in C", [&](cudaStream_t stream) { check_c(aisp_attention(&heads, stream)); });
}

void others() {
  AttentionProblem heads{.query_rows = 64, .kv_rows = 64, .head_size = 64};
  for (HeadTensor* one : {&heads.q, &heads.k, &heads.v, &heads.o})
    *one = {.data = memory(64 * 64), .row_stride = 64};
  measure("attention", [&](cudaStream_t stream) { attention(heads, stream); });
  heads.query_rows = 1, heads.kv_rows = 1024;
  for (HeadTensor* one : {&heads.k, &heads.v}) one->data = memory(1024 * 64);
  measure("attention, decode of 1024 keys", [&](cudaStream_t stream) { attention(heads, stream); });
  Conv2dProblem images{.n = 1, .h = 8, .w = 8, .c = 64, .k = 64, .r = 1, .s = 1};
  images.x = memory(8 * 8 * 64), images.filter = memory(64 * 64), images.y = memory(8 * 8 * 64);
  measure("conv2d", [&](cudaStream_t stream) { conv2d(images, stream); });
  ContractionProblem tensors = contraction("mk,nk->mn", {{'m', 64}, {'n', 64}, {'k', 64}});
  for (ContractionTensor* one : {&tensors.a, &tensors.b, &tensors.d}) one->data = memory(64 * 64);
  measure("contract", [&](cudaStream_t stream) { contract(tensors, stream); });
}

}  // namespace

int main(int count, char** words) try {
  if (count > 1) calls = std::max(1, std::atoi(words[1]));
  if (count > 2) batches = std::max(1, std::atoi(words[2]));
  cudaDeviceProp device{};
  check_cuda(cudaGetDeviceProperties(&device, 0), "device");
  const bool simulated = dlsym(RTLD_DEFAULT, "aispSimulated") != nullptr;
  std::printf("%s: %d batches of %d calls, %s for a call\n\n", device.name, batches, calls,
              simulated ? "microseconds of the simulator" : "microseconds of the host");
  std::printf(
      "| call | median | quarter | three quarters | first call |\n|---|---:|---:|---:|---:|\n");
  gemms();
  c_calls();
  others();
} catch (const std::exception& error) {
  std::fprintf(stderr, "call_times: %s\n", error.what());
  return 1;
}
