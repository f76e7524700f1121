// Kernels of the tile library as nvcc and as NVRTC compile them, on the same operands: are the
// results the same bits, and the times the same to one per cent? The texts are those of
// tests/jit/build/kernels, the recipes here say the same to nvcc.
//   compiler_times FOLDER_OF_TEXTS [--quick]      --quick: small, results alone (the simulator)
// Exits 3 where results differ, 1 where NVRTC's kernel takes over 1 % longer.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "jit/build/compile.hpp"
#include "jit/run/kernel.hpp"
#include "tile/device/attention/plan_sm90.cuh"
#include "tile/device/gemm/plan_sm90.cuh"

namespace aisp {

using namespace tile;
using tile::device::check_cuda;

inline constexpr Sm90Config ping_pong{.tile_n = 128, .stages = 6, .roles = Roles::ping_pong};
inline constexpr Sm90Config cooperative{.tile_n = 256, .stages = 4};
struct PingPong : Sm90Recipe<ping_pong, Linear<Element::bf16>, Persistent> {};
struct Cooperative : Sm90Recipe<cooperative, Linear<Element::bf16>, Persistent> {};
struct Head64 : Sm90AttentionRecipe<Sm90AttentionConfig{.element = Element::bf16,
                                                        .head_size = 64,
                                                        .math_warpgroups = 3,
                                                        .key_stages = 4,
                                                        .value_stages = 4,
                                                        .ping_pong = false,
                                                        .plain = true}> {};
struct Head128
    : Sm90AttentionRecipe<Sm90AttentionConfig{.element = Element::bf16, .head_size = 128}> {};

struct Buffer {
  explicit Buffer(std::size_t bytes) : bytes(bytes) {
    check_cuda(cudaMalloc(&data, bytes), "memory of a buffer");
  }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::vector<char> read() const {
    std::vector<char> host(bytes);
    check_cuda(cudaMemcpy(host.data(), data, bytes, cudaMemcpyDeviceToHost), "copy of a result");
    return host;
  }

  void* data = nullptr;
  std::size_t bytes;
};

// bf16 numbers between -1 and 1.
void fill(const Buffer& buffer, std::uint32_t seed) {
  std::vector<std::uint16_t> codes(buffer.bytes / 2);
  for (auto& code : codes) {
    seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
    const float value = static_cast<float>(seed) / 2147483648.0f - 1;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, 4);
    code = static_cast<std::uint16_t>(bits >> 16);
  }
  check_cuda(cudaMemcpy(buffer.data, codes.data(), buffer.bytes, cudaMemcpyHostToDevice),
             "copy of an operand");
}

using Launch = std::function<void()>;

double milliseconds(const Launch& launch, const Buffer& flush) {
  static cudaEvent_t begin = nullptr, end = nullptr;
  if (begin == nullptr) cudaEventCreate(&begin), cudaEventCreate(&end);
  check_cuda(cudaMemsetAsync(flush.data, 1, flush.bytes, nullptr), "flush of L2");
  cudaEventRecord(begin);
  launch();
  cudaEventRecord(end);
  check_cuda(cudaEventSynchronize(end), "a timed kernel");
  float time = 0;
  cudaEventElapsedTime(&time, begin, end);
  return time;
}

double median(std::vector<double> samples) {
  std::nth_element(samples.begin(), samples.begin() + samples.size() / 2, samples.end());
  return samples[samples.size() / 2];
}

struct Comparison {
  std::string folder;
  bool quick = false;
  int worst = 0;  // exit code

  // `params` are launched with nvcc's kernel and with the text's; both write to `out`. `reset` is
  // called before each launch.
  template <class Params>
  void compare(const std::string& name, const device::Kernel<Params>& kernel, const Params& params,
               int clusters, const Buffer& out, const Launch& reset) {
    std::ifstream file(folder + "/" + name + ".cu");
    std::ostringstream text;
    text << file.rdbuf();
    const auto compiled =
        jit::compile({name, text.str()}, {.architecture = jit::device_architecture()});
    const jit::Module module(name, compiled);
    const auto& of_text = module.kernel(jit::entry_points_in(compiled.ptx).at(0).name);
    const jit::LaunchShape shape{.grid = static_cast<unsigned>(clusters * kernel.cluster_blocks),
                                 .block = static_cast<unsigned>(kernel.threads),
                                 .shared_bytes = kernel.shared_bytes,
                                 .cluster = static_cast<unsigned>(kernel.cluster_blocks)};
    const jit::Argument argument{&params, static_cast<int>(sizeof params)};
    const Launch launches[2] = {[&] { device::launch(kernel, params, clusters, nullptr); },
                                [&] {
                                  of_text.launch(nullptr, shape, {&argument, 1});
                                }};
    std::vector<char> results[2];
    for (int which : {0, 1}) {
      check_cuda(cudaMemset(out.data, 0xFF, out.bytes), "poison");
      reset();
      launches[which]();
      check_cuda(cudaDeviceSynchronize(), name.c_str());
      results[which] = out.read();
    }
    const bool written = results[0] != std::vector<char>(out.bytes, '\xFF');
    const bool same = written && results[0] == results[1];
    if (!same) worst = 3;
    std::printf("%-16s results %s", name.c_str(), same ? "same" : "DIFFER");
    if (!quick) time(launches, reset);
    std::printf("\n");
  }

 private:
  void time(const Launch (&launches)[2], const Launch& reset) {
    const Buffer flush(std::size_t{256} << 20);
    std::vector<double> samples[2];
    for (int round = 0; round < 60; ++round)
      for (const int which : {0, 1, 1, 0}) {
        reset();
        const double sample = milliseconds(launches[which], flush);
        if (round >= 10) samples[which].push_back(sample);
      }
    const double nvcc = median(samples[0]), nvrtc = median(samples[1]);
    std::printf("  nvcc %.2f us, NVRTC %.2f us: %+.2f %%", 1e3 * nvcc, 1e3 * nvrtc,
                100 * (nvrtc / nvcc - 1));
    if (nvrtc > 1.01 * nvcc) worst = std::max(worst, 1);
  }
};

template <class Recipe>
void compare_gemm(Comparison& comparison, const std::string& name) {
  const std::int64_t n = comparison.quick ? 256 : 4096;
  const Buffer a(n * n * 2), b(n * n * 2), d(n * n * 2);
  fill(a, 1), fill(b, 2);
  const device::GemmProblem problem{.m = n,
                                    .n = n,
                                    .k = n,
                                    .a = {.data = a.data, .stride = n},
                                    .b = {.data = b.data, .stride = n},
                                    .d = {.data = d.data, .stride = n}};
  auto fitted = device::fitted_to_device<Recipe>(
      device::tiles_of<Recipe::config>(problem, LaunchChoice{}.raster), LaunchChoice{}, {});
  fitted.params.operands = device::operand_maps<Recipe::config>(problem);
  fitted.params.epilogue.tree = device::tree_of_problem<typename Recipe::Tree>(problem, {});
  fitted.params.epilogue.out = device::batch_output<Recipe::config>(problem);
  comparison.compare(name, device::kernel_of<Recipe>(), fitted.params, fitted.clusters, d, [] {});
}

template <class Recipe>
void compare_attention(Comparison& comparison, const std::string& name) {
  constexpr Sm90AttentionConfig config = Recipe::config;
  const int rows = comparison.quick ? 256 : 4096, heads = comparison.quick ? 2 : 16;
  const int batch = comparison.quick ? 1 : 4, size = config.head_size;
  const std::size_t bytes = std::size_t{2} * batch * heads * rows * size;
  const Buffer q(bytes), k(bytes), v(bytes), o(bytes);
  fill(q, 1), fill(k, 2), fill(v, 3);
  const auto tensor = [&](const Buffer& buffer) {
    return device::HeadTensor{.data = buffer.data,
                              .row_stride = size,
                              .head_stride = std::int64_t{rows} * size,
                              .batch_stride = std::int64_t{heads} * rows * size};
  };
  const device::AttentionProblem problem{.batch = batch,
                                         .query_heads = heads,
                                         .kv_heads = heads,
                                         .query_rows = rows,
                                         .kv_rows = rows,
                                         .head_size = size,
                                         .q = tensor(q),
                                         .k = tensor(k),
                                         .v = tensor(v),
                                         .o = tensor(o)};
  const device::Kernel<AttentionForward> kernel{attention_forward<Recipe>, config.threads(),
                                                device::attention_shared_bytes<Recipe>};
  AttentionForward all{.params = device::attention_params(config, problem),
                       .tiles = device::tiles_of(problem, config.block_rows()),
                       .next = nullptr};
  const Buffer counters(2 * sizeof(unsigned));
  const int blocks = std::min(all.tiles.count(), device::resident_clusters(kernel));
  if (blocks < all.tiles.count()) all.next = static_cast<unsigned*>(counters.data);
  comparison.compare(name, kernel, all, blocks, o, [&] {
    check_cuda(cudaMemsetAsync(counters.data, 0, counters.bytes, nullptr), "counters");
  });
}

int run(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "compiler_times FOLDER_OF_TEXTS [--quick]\n");
    return 2;
  }
  Comparison comparison{.folder = words[1],
                        .quick = count > 2 && std::string(words[2]) == "--quick"};
  compare_gemm<PingPong>(comparison, "gemm_ping_pong");
  compare_gemm<Cooperative>(comparison, "gemm_cooperative");
  compare_attention<Head64>(comparison, "attention_d64");
  compare_attention<Head128>(comparison, "attention_d128");
  return comparison.worst;
}

}  // namespace aisp

int main(int count, char** words) {
  try {
    return aisp::run(count, words);
  } catch (const aisp::base::Refusal& refusal) {
    std::fprintf(stderr, "compiler_times: %s\n", refusal.what());
    return static_cast<int>(refusal.exit());
  }
}
