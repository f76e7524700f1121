// Times every configuration of kernel.cuh against cuBLASLt's best of 32, interleaved, L2 flushed.
//   build/bin/tune_gemm             needs sm_90a: checks and times the sizes below
//   build/bin/tune_gemm --check     one small size against the host, also on the simulator
#include <cublasLt.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tools/tune_gemm/kernel.cuh"

namespace tune {
namespace {

void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) require((call), #call)

CUtensorMap map_of(void* memory, int rows, int columns, int box_rows, int box_columns) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                           cudaEnableDefault, &found));
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
  }();
  const auto r = static_cast<cuuint64_t>(rows), c = static_cast<cuuint64_t>(columns);
  const cuuint64_t extent[] = {c, r, 1}, stride[] = {c * 2, r * c * 2};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_columns), static_cast<cuuint32_t>(box_rows),
                            1};
  const cuuint32_t every[] = {1, 1, 1};
  CUtensorMap map;
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, memory, extent, stride, box, every,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
    std::fprintf(stderr, "no tensor map for %d x %d\n", rows, columns);
    std::exit(1);
  }
  return map;
}

struct Size {
  int m, n, k;
};
struct Buffers {
  Bf16 *a, *b, *out;
};

template <int which>
void launch(const Buffers& on, Size size, int multiprocessors, cudaStream_t stream) {
  constexpr Config config = configs[which];
  const Work work{map_of(on.a, size.m, size.k, config.m, config.k),
                  map_of(on.b, size.n, size.k, config.n / config.cluster_m, config.k),
                  map_of(on.out, size.m, size.n, piece, piece),
                  size.m,
                  size.n,
                  size.k};
  constexpr int bytes = sizeof(Shared<which>) + 1024;  // the start is rounded up to 1024
  CHECK(cudaFuncSetAttribute(gemm<which>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(config.cluster_m), 1, 1};
  cudaLaunchConfig_t how{};
  how.gridDim = static_cast<unsigned>(multiprocessors / config.cluster_m * config.cluster_m);
  how.blockDim = 384;
  how.dynamicSmemBytes = bytes;
  how.stream = stream;
  how.attrs = &cluster;
  how.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&how, gemm<which>, work));
}
constexpr auto launchers = std::array{launch<0>, launch<1>, launch<2>, launch<3>};
static_assert(launchers.size() == std::size(configs));

__global__ void fill(Bf16* memory, std::size_t count, unsigned seed) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  unsigned h = static_cast<unsigned>(i) * 2654435761u + seed;
  h = (h ^ h >> 15) * 2246822519u;
  h = (h ^ h >> 13) * 3266489917u;
  if (i < count)
    memory[i] = __float2bfloat16(static_cast<float>((h ^ h >> 16) % 511) / 255.0f - 1.0f);
}

Bf16* drawn(std::size_t count, unsigned seed) {
  Bf16* memory = nullptr;
  CHECK(cudaMalloc(&memory, count * sizeof(Bf16)));
  fill<<<static_cast<unsigned>((count + 255) / 256), 256>>>(memory, count, seed);
  CHECK(cudaDeviceSynchronize());
  return memory;
}

std::vector<Bf16> fetch(const Bf16* memory, std::size_t count) {
  std::vector<Bf16> values(count);
  CHECK(cudaMemcpy(values.data(), memory, count * sizeof(Bf16), cudaMemcpyDeviceToHost));
  return values;
}

Buffers buffers_of(Size size) {
  const auto at = [](int rows, int columns) { return std::size_t(rows) * std::size_t(columns); };
  return {drawn(at(size.m, size.k), 1), drawn(at(size.n, size.k), 2), drawn(at(size.m, size.n), 3)};
}

// Every element against float64: a sum of k products, each rounded within f32, then to bf16.
bool is_right(const Buffers& on, Size size) {
  const auto a = fetch(on.a, std::size_t(size.m) * size.k),
             b = fetch(on.b, std::size_t(size.n) * size.k);
  const auto out = fetch(on.out, std::size_t(size.m) * size.n);
  std::size_t wrong = 0;
  for (int m = 0; m < size.m; ++m)
    for (int n = 0; n < size.n; ++n) {
      double want = 0;
      for (int k = 0; k < size.k; ++k)
        want += double(__bfloat162float(a[std::size_t(m) * size.k + k])) *
                double(__bfloat162float(b[std::size_t(n) * size.k + k]));
      const double got = __bfloat162float(out[std::size_t(m) * size.n + n]);
      wrong += std::abs(got - want) <= std::abs(want) / 256 + size.k * 0x1p-22 ? 0 : 1;
    }
  if (wrong > 0) std::printf("  %zu of %zu elements are wrong\n", wrong, out.size());
  return wrong == 0;
}

int check() {
  const Size size{300, 520, 456};  // ragged in every direction, more tiles than blocks
  const Buffers on = buffers_of(size);
  bool good = true;
  for (std::size_t i = 0; i < launchers.size(); ++i) {
    CHECK(cudaMemset(on.out, 0xff, std::size_t(size.m) * size.n * 2));
    launchers[i](on, size, 4, nullptr);
    CHECK(cudaDeviceSynchronize());
    std::printf("%s\n", configs[i].name);
    good = is_right(on, size) && good;
  }
  return good ? 0 : 1;
}

// D^T = B A^T in cuBLAS' column-major terms; the fastest of what its heuristic offers.
class Rival {
 public:
  Rival(Size size, const Buffers& on, Bf16* out) : on_(on), out_(out) {
    cublasLtCreate(&handle_);
    CHECK(cudaMalloc(&workspace_, workspace_bytes));
    cublasLtMatmulDescCreate(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    cublasLtMatmulDescSetAttribute(product_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                   sizeof transposed);
    const auto m = static_cast<std::uint64_t>(size.m), n = static_cast<std::uint64_t>(size.n),
               k = static_cast<std::uint64_t>(size.k);
    cublasLtMatrixLayoutCreate(&b_, CUDA_R_16BF, k, n, size.k);
    cublasLtMatrixLayoutCreate(&a_, CUDA_R_16BF, k, m, size.k);
    cublasLtMatrixLayoutCreate(&d_, CUDA_R_16BF, n, m, size.n);
    cublasLtMatmulPreference_t limits{};
    cublasLtMatmulPreferenceCreate(&limits);
    const std::size_t most = workspace_bytes;
    cublasLtMatmulPreferenceSetAttribute(limits, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                         sizeof most);
    cublasLtMatmulAlgoGetHeuristic(handle_, product_, b_, a_, d_, d_, limits, 32, offers_, &count_);
  }
  int offers() const { return count_; }
  void run(int offer, cudaStream_t stream) const {
    const float one = 1, zero = 0;
    cublasLtMatmul(handle_, product_, &one, on_.b, b_, on_.a, a_, &zero, out_, d_, out_, d_,
                   &offers_[offer].algo, workspace_, workspace_bytes, stream);
  }

 private:
  static constexpr std::size_t workspace_bytes = 64 << 20;
  Buffers on_;
  Bf16* out_;
  cublasLtHandle_t handle_{};
  void* workspace_ = nullptr;
  cublasLtMatmulDesc_t product_{};
  cublasLtMatrixLayout_t a_{}, b_{}, d_{};
  cublasLtMatmulHeuristicResult_t offers_[32]{};
  int count_ = 0;
};

class Timer {
 public:
  Timer() {
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&start_));
    CHECK(cudaEventCreate(&stop_));
    CHECK(cudaMalloc(&flush_, flush_bytes));
  }
  template <class Run>
  float time(const Run& run) {
    CHECK(cudaMemsetAsync(flush_, 1, flush_bytes, stream));
    CHECK(cudaEventRecord(start_, stream));
    run();
    CHECK(cudaEventRecord(stop_, stream));
    CHECK(cudaEventSynchronize(stop_));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, start_, stop_));
    return milliseconds;
  }
  cudaStream_t stream{};

 private:
  static constexpr std::size_t flush_bytes = 128 << 20;  // twice the L2 of an H200
  cudaEvent_t start_{}, stop_{};
  void* flush_ = nullptr;
};

float median(std::vector<float> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(Size size, int multiprocessors, Timer& timer) {
  const Buffers on = buffers_of(size);
  const std::size_t bytes = std::size_t(size.m) * size.n * 2;
  Bf16* want = drawn(std::size_t(size.m) * size.n, 4);
  const Rival rival(size, on, want);
  int best = 0;
  float least = 1e9f;
  for (int offer = 0; offer < rival.offers(); ++offer)
    for (int repeat = 0; repeat < 3; ++repeat)
      if (const float time = timer.time([&] { rival.run(offer, timer.stream); }); time < least) {
        least = time;
        best = offer;
      }
  std::vector<float> times[1 + std::size(configs)];
  for (int sample = 0; sample < 51; ++sample) {
    times[0].push_back(timer.time([&] { rival.run(best, timer.stream); }));
    for (std::size_t i = 0; i < launchers.size(); ++i)
      times[i + 1].push_back(
          timer.time([&] { launchers[i](on, size, multiprocessors, timer.stream); }));
  }
  const float base = median(times[0]);
  std::printf("%dx%dx%d: cuBLASLt %.1f us, %.0f TFLOP/s\n", size.m, size.n, size.k, base * 1e3,
              2e-9 * size.m * size.n * size.k / base);
  const auto wanted = fetch(want, bytes / 2);
  for (std::size_t i = 0; i < launchers.size(); ++i) {
    CHECK(cudaMemset(on.out, 0xff, bytes));
    launchers[i](on, size, multiprocessors, nullptr);
    const auto got = fetch(on.out, bytes / 2);
    const bool same = std::memcmp(got.data(), wanted.data(), bytes) == 0;
    std::printf("  %-32s %8.1f us  %.3f of it%s\n", configs[i].name, median(times[i + 1]) * 1e3,
                base / median(times[i + 1]), same ? "" : "  (bits differ from cuBLASLt's)");
  }
  for (void* memory : {on.a, on.b, on.out, want}) CHECK(cudaFree(memory));
}

}  // namespace

int run(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "--check") == 0) return check();
  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  if (device.major != 9) {
    std::fprintf(stderr, "tune_gemm needs sm_90a; %s is sm_%d%d\n", device.name, device.major,
                 device.minor);
    return 4;
  }
  Timer timer;
  for (const Size size : {Size{8192, 8192, 8192},
                          {4096, 4096, 4096},
                          {4096, 4096, 8192},
                          {2048, 2048, 2048},
                          {8192, 8192, 512},
                          {16384, 16384, 1024}})
    measure(size, device.multiProcessorCount, timer);
  return 0;
}

}  // namespace tune

int main(int count, char** words) { return tune::run(count, words); }
