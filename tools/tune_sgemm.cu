// Times configurations of the pipelined fp32 matmul of ch09 against cuBLAS and the best algorithm
// that cuBLASLt's heuristic offers (TF32 off), in one process and interleaved. Stand-alone:
//   nvcc -std=c++20 -O3 -DNDEBUG -lineinfo -gencode arch=compute_90a,code=sm_90a -I. \
//        tools/tune_sgemm.cu -o tune_sgemm -lcublas -lcublasLt && ./tune_sgemm [m n k]
#include <cublasLt.h>
#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "chapters/ch09/micro_tiling_matmul/pipelined_matmul.cuh"

using namespace aisp;

using ch09::MatmulArgs;
using ch09::MicroTileConfig;

// clang-format off
inline constexpr MicroTileConfig configs[] = {
  // m    n    k  warps lanes stages band blocks
  // 256 threads, one block per SM, 8x16 per thread
  {128, 256,  8, 4, 2, 4, 4,  8, 1},
  {128, 256,  8, 4, 2, 4, 2,  8, 1},
  {128, 256,  8, 4, 2, 4, 3,  8, 1},
  {128, 256,  8, 4, 2, 4, 5,  8, 1},
  {128, 256,  8, 4, 2, 4, 4,  4, 1},
  {128, 256,  8, 4, 2, 4, 4, 16, 1},
  {128, 256, 16, 4, 2, 4, 2,  8, 1},
  {128, 256, 16, 4, 2, 4, 3,  8, 1},
  {128, 256, 16, 4, 2, 4, 4,  8, 1},
  {128, 256,  8, 2, 4, 8, 4,  8, 1},
  {128, 256, 16, 2, 4, 8, 3,  8, 1},
  // the same, 16x8 per thread
  {256, 128,  8, 4, 2, 4, 4,  8, 1},
  {256, 128,  8, 4, 2, 4, 4,  4, 1},
  {256, 128,  8, 2, 4, 8, 4,  8, 1},
  {256, 128, 16, 4, 2, 4, 3,  8, 1},
  // 128 threads, two blocks per SM, 8x16 or 16x8 per thread
  {128, 128,  8, 4, 1, 4, 4,  8, 2},
  {128, 128,  8, 4, 1, 4, 3,  8, 2},
  {128, 128,  8, 4, 1, 4, 4, 16, 2},
  {128, 128, 16, 4, 1, 4, 3,  8, 2},
  {128, 128,  8, 2, 2, 8, 4,  8, 2},
  {128, 128, 16, 2, 2, 8, 3,  8, 2},
  {128, 128,  8, 2, 2, 4, 4,  8, 2},
  // 256 threads, two blocks per SM, 8x8 per thread
  {128, 128,  8, 4, 2, 4, 4,  8, 2},
  {128, 128, 16, 4, 2, 4, 3,  8, 2},
};
// clang-format on

template <int index>
__global__ void __launch_bounds__(configs[index].threads(), configs[index].blocks_per_sm)
    matmul(const __grid_constant__ MatmulArgs args) {
  ch09::pipelined_matmul<configs[index]>(args);
}

__global__ void fill_random(float* data, long long count, unsigned seed) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll) {
    unsigned x = static_cast<unsigned>(i) * 2654435761u ^ seed;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    data[i] = static_cast<float>(x ^ (x >> 16)) * 0x1p-31f - 1.0f;
  }
}

// Accumulates in float64 so that the comparison has one side without rounding.
__global__ void reference(MatmulArgs args, double* c) {
  const int n = blockIdx.x * 32 + threadIdx.x, m = blockIdx.y * 8 + threadIdx.y;
  if (m >= args.m || n >= args.n) return;
  double sum = 0;
  for (int k = 0; k < args.k; ++k)
    sum += static_cast<double>(args.a[static_cast<long long>(m) * args.k + k]) *
           args.b[static_cast<long long>(k) * args.n + n];
  c[static_cast<long long>(m) * args.n + n] = sum;
}

__global__ void worst_difference(const float* got, const double* want, long long count,
                                 unsigned long long* worst) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll) {
    const double difference = fabs(got[i] - want[i]);
    // Order of non-negative doubles is the order of their bits; NaN comes out largest.
    atomicMax(worst, static_cast<unsigned long long>(__double_as_longlong(difference)));
  }
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(4);
}

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: cuBLAS status %d\n", what, static_cast<int>(status));
  std::exit(4);
}

struct Candidate {
  std::string name;
  std::function<void(const MatmulArgs&)> launch;
  std::vector<float> ms{};
  double worst = 0, worst_ragged = 0;
};

template <int index>
Candidate candidate() {
  static constexpr MicroTileConfig config = configs[index];
  const auto kernel = matmul<index>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             config.shared_bytes()),
        "shared memory");
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel), "attributes");
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, config.threads(),
                                                      config.shared_bytes()),
        "occupancy");
  char name[200];
  std::snprintf(name, sizeof name,
                "%3dx%3dx%2d s%d warps %dx%d lanes %dx%d micro %2dx%2d band %2d  %3d regs %4zu "
                "local %d/SM",
                config.tile_m, config.tile_n, config.tile_k, config.stages, config.warps_m,
                config.warps_n, config.lanes_m, config.lanes_n(), config.micro_m(),
                config.micro_n(), config.band, attributes.numRegs, attributes.localSizeBytes,
                resident);
  return {name, [kernel](const MatmulArgs& args) {
            const int tiles =
                ch09::ceil_div(args.m, config.tile_m) * ch09::ceil_div(args.n, config.tile_n);
            kernel<<<tiles, config.threads(), config.shared_bytes()>>>(args);
          }};
}

template <int... index>
std::vector<Candidate> own_candidates(std::integer_sequence<int, index...>) {
  return {candidate<index>()...};
}

cublasHandle_t blas() {
  static cublasHandle_t handle = [] {
    cublasHandle_t made;
    check(cublasCreate(&made), "cublasCreate");
    check(cublasSetMathMode(made, CUBLAS_DEFAULT_MATH), "math mode");
    return made;
  }();
  return handle;
}

// Row-major C = A B is column-major C' = B' A'.
Candidate plain_cublas() {
  return {"cublasSgemm", [](const MatmulArgs& args) {
            const float one = 1, zero = 0;
            check(cublasSgemm(blas(), CUBLAS_OP_N, CUBLAS_OP_N, args.n, args.m, args.k, &one,
                              args.b, args.n, args.a, args.k, &zero, args.c, args.n),
                  "cublasSgemm");
          }};
}

// Every algorithm the heuristic offers becomes a candidate; the table shows the best.
std::vector<Candidate> lt_candidates(const MatmulArgs& args) {
  static cublasLtHandle_t handle;
  static void* workspace;
  constexpr std::size_t workspace_bytes = 64u << 20;
  check(cublasLtCreate(&handle), "cublasLtCreate");
  check(cudaMalloc(&workspace, workspace_bytes), "workspace");
  cublasLtMatmulDesc_t operation;
  check(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "operation");
  cublasLtMatrixLayout_t a, b, c;
  check(cublasLtMatrixLayoutCreate(&b, CUDA_R_32F, args.n, args.k, args.n), "layout");
  check(cublasLtMatrixLayoutCreate(&a, CUDA_R_32F, args.k, args.m, args.k), "layout");
  check(cublasLtMatrixLayoutCreate(&c, CUDA_R_32F, args.n, args.m, args.n), "layout");
  cublasLtMatmulPreference_t preference;
  check(cublasLtMatmulPreferenceCreate(&preference), "preference");
  check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &workspace_bytes, sizeof workspace_bytes),
        "workspace preference");
  cublasLtMatmulHeuristicResult_t found[16];
  int count = 0;
  check(
      cublasLtMatmulAlgoGetHeuristic(handle, operation, b, a, c, c, preference, 16, found, &count),
      "heuristic");
  std::vector<Candidate> all;
  for (int i = 0; i < count; ++i)
    all.push_back({"cublasLt heuristic " + std::to_string(i),
                   [=, algorithm = found[i].algo](const MatmulArgs& given) {
                     const float one = 1, zero = 0;
                     cublasLtMatmul(handle, operation, &one, given.b, b, given.a, a, &zero, given.c,
                                    c, given.c, c, &algorithm, workspace, workspace_bytes, nullptr);
                   }});
  return all;
}

struct Buffers {
  MatmulArgs args{};
  double* want = nullptr;
  unsigned long long* worst = nullptr;

  Buffers(int m, int n, int k) {
    float *a, *b;
    const long long a_count = 1ll * m * k, b_count = 1ll * k * n, c_count = 1ll * m * n;
    check(cudaMalloc(&a, a_count * 4), "a");
    check(cudaMalloc(&b, b_count * 4), "b");
    check(cudaMalloc(&args.c, c_count * 4), "c");
    check(cudaMalloc(&want, c_count * 8), "want");
    check(cudaMalloc(&worst, 8), "worst");
    fill_random<<<1024, 256>>>(a, a_count, 1);
    fill_random<<<1024, 256>>>(b, b_count, 2);
    args.a = a, args.b = b, args.m = m, args.n = n, args.k = k;
    const dim3 grid(ch09::ceil_div(n, 32), ch09::ceil_div(m, 8));
    reference<<<grid, dim3(32, 8)>>>(args, want);
    check(cudaDeviceSynchronize(), "reference");
  }

  double worst_of(const Candidate& candidate) const {
    check(cudaMemset(args.c, 0xff, 4ll * args.m * args.n), "poison");  // NaN
    check(cudaMemset(worst, 0, 8), "clear");
    candidate.launch(args);
    worst_difference<<<1024, 256>>>(args.c, want, 1ll * args.m * args.n, worst);
    check(cudaDeviceSynchronize(), candidate.name.c_str());
    double result;
    check(cudaMemcpy(&result, worst, 8, cudaMemcpyDeviceToHost), "worst");
    return result;
  }
};

void time_interleaved(std::vector<Candidate>& all, const MatmulArgs& args, int rounds) {
  constexpr std::size_t flush_bytes = 256u << 20;
  void* flush;
  cudaEvent_t begin, end;
  check(cudaMalloc(&flush, flush_bytes), "flush");
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  for (int round = 0; round < rounds + 2; ++round) {
    for (auto& candidate : all) {
      check(cudaMemsetAsync(flush, round, flush_bytes), "flush");
      check(cudaEventRecord(begin), "record");
      candidate.launch(args);
      check(cudaEventRecord(end), "record");
      check(cudaEventSynchronize(end), candidate.name.c_str());
      float ms;
      check(cudaEventElapsedTime(&ms, begin, end), "elapsed");
      if (round >= 2) candidate.ms.push_back(ms);  // two rounds warm up
    }
  }
}

float median(std::vector<float> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

int main(int count, char** words) {
  const int m = count > 3 ? std::atoi(words[1]) : 4096, n = count > 3 ? std::atoi(words[2]) : 4096,
            k = count > 3 ? std::atoi(words[3]) : 4096;
  const Buffers full(m, n, k), ragged(389, 404, 173);
  auto own = own_candidates(std::make_integer_sequence<int, std::size(configs)>());
  auto peers = lt_candidates(full.args);
  peers.insert(peers.begin(), plain_cublas());
  for (auto& candidate : own) {
    candidate.worst = full.worst_of(candidate);
    candidate.worst_ragged = ragged.worst_of(candidate);
  }
  for (auto& candidate : peers) candidate.worst = full.worst_of(candidate);

  std::vector<Candidate> all = peers;
  all.insert(all.end(), own.begin(), own.end());
  time_interleaved(all, full.args, 20);
  float peer_ms = 1e30f;
  for (std::size_t i = 0; i < peers.size(); ++i) peer_ms = std::min(peer_ms, median(all[i].ms));
  std::printf("%dx%dx%d fp32, median of 20, L2 flushed; ratio to the best cuBLAS\n", m, n, k);
  std::printf("%8s %8s %6s %9s %9s\n", "ms", "TFLOP/s", "ratio", "worst", "ragged");
  std::sort(all.begin(), all.end(),
            [](const auto& x, const auto& y) { return median(x.ms) < median(y.ms); });
  for (const auto& candidate : all) {
    const float ms = median(candidate.ms);
    std::printf("%8.4f %8.2f %6.3f %9.2e %9.2e  %s\n", ms, 2e-9 * m * n * k / ms, peer_ms / ms,
                candidate.worst, candidate.worst_ragged, candidate.name.c_str());
  }
  return 0;
}
