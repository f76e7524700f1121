#include "chapters/ch11/stream_ordered_kv_cache/cache.hpp"
#include "tile/arch/convert.cuh"
#include "tile/arch/math.cuh"

using namespace aisp;

namespace {

using namespace ch11;

constexpr int pages_per_launch = 64;
constexpr int copy_threads = 128;
constexpr int warps = 4, lanes = 32;
constexpr int lane_elements = head_size / lanes;  // a lane's part of a head: 8 bytes

struct NewPages {
  NewPage pages[pages_per_launch];
  int count;
};

// What the kernels know of a step.
struct StepArgs {
  Bits* const* table;
  int layers, sequences, heads, pages_per_sequence, layer, step;

  // Places are counted in elements.
  __device__ std::int64_t of_token(int kind, int token) const {
    return ((std::int64_t{layer} * 2 + kind) * page_tokens + token % page_tokens) * heads *
           head_size;
  }
  __device__ Bits* page_of(int sequence, int token) const {
    return table[std::int64_t{sequence} * pages_per_sequence + token / page_tokens];
  }
  // Of the step's row in q, k, v and o.
  __device__ std::int64_t row_of(int sequence) const {
    return ((std::int64_t{step} * layers + layer) * sequences + sequence) * heads * head_size;
  }
};

__device__ int tokens_of(int sequence, int step) {
  return max(0, step + 1 - sequence % page_tokens);
}

__global__ void map_pages(Bits** table, const __grid_constant__ NewPages fresh) {
  if (static_cast<int>(threadIdx.x) < fresh.count)
    table[fresh.pages[threadIdx.x].slot] = fresh.pages[threadIdx.x].page;
}

// A block per sequence and kind: 0 is the key, 1 the value.
__global__ void __launch_bounds__(copy_threads)
    append_tokens(const __grid_constant__ StepArgs args, const Bits* __restrict__ k,
                  const Bits* __restrict__ v) {
  const int sequence = static_cast<int>(blockIdx.x), kind = static_cast<int>(blockIdx.y);
  const int token = tokens_of(sequence, args.step) - 1;
  if (token < 0) return;
  const auto* from = reinterpret_cast<const uint4*>((kind == 0 ? k : v) + args.row_of(sequence));
  auto* to = reinterpret_cast<uint4*>(args.page_of(sequence, token) + args.of_token(kind, token));
  const int count = args.heads * head_size / 8;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += copy_threads) to[i] = from[i];
}

__device__ float from_bits(std::uint32_t upper_half) { return __uint_as_float(upper_half); }

// Four neighbours.
__device__ void load(float (&to)[lane_elements], const Bits* from) {
  const uint2 pairs = *reinterpret_cast<const uint2*>(from);
  to[0] = from_bits(pairs.x << 16);
  to[1] = from_bits(pairs.x & 0xffff0000u);
  to[2] = from_bits(pairs.y << 16);
  to[3] = from_bits(pairs.y & 0xffff0000u);
}

// The softmax of scores seen so far, over powers of two, and the sum of values under it.
struct Attended {
  float largest, weights, sum[lane_elements];

  __device__ void add(float score, const float (&value)[lane_elements]) {
    const float next = fmaxf(largest, score);
    const float keep = tile::arch::exp2_approximate(largest - next);
    const float weight = tile::arch::exp2_approximate(score - next);
    weights = fmaf(weights, keep, weight);
    for (int i = 0; i < lane_elements; ++i) sum[i] = fmaf(weight, value[i], sum[i] * keep);
    largest = next;
  }
};

// A block per head and sequence; its warps take the tokens in turn and put their parts together.
__global__ void __launch_bounds__(warps* lanes)
    attend(const __grid_constant__ StepArgs args, const Bits* __restrict__ q, Bits* __restrict__ o,
           float scale) {
  __shared__ float largest[warps], weights[warps];
  __shared__ float sums[warps][head_size];
  const int head = static_cast<int>(blockIdx.x), sequence = static_cast<int>(blockIdx.y);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / lanes, lane = thread % lanes;
  const int tokens = tokens_of(sequence, args.step);
  const std::int64_t row = args.row_of(sequence) + head * head_size;
  const int in_head = head * head_size + lane * lane_elements;

  float query[lane_elements];
  load(query, q + row + lane * lane_elements);
  Attended seen{.largest = -1e30f, .weights = 0, .sum = {}};
#pragma unroll 4
  for (int token = warp; token < tokens; token += warps) {
    const Bits* page = args.page_of(sequence, token) + in_head;
    float key[lane_elements], value[lane_elements];
    load(key, page + args.of_token(0, token));
    load(value, page + args.of_token(1, token));
    float score = 0;
    for (int i = 0; i < lane_elements; ++i) score = fmaf(query[i], key[i], score);
    for (int away = lanes / 2; away > 0; away /= 2)
      score += __shfl_xor_sync(0xffffffffu, score, away);
    seen.add(score * scale, value);
  }
  if (lane == 0) {
    largest[warp] = seen.largest;
    weights[warp] = seen.weights;
  }
  for (int i = 0; i < lane_elements; ++i) sums[warp][lane * lane_elements + i] = seen.sum[i];
  __syncthreads();

  float top = largest[0], total = 0, sum = 0;
  for (int other = 1; other < warps; ++other) top = fmaxf(top, largest[other]);
  for (int other = 0; other < warps; ++other) {
    const float share = tile::arch::exp2_approximate(largest[other] - top);
    total = fmaf(weights[other], share, total);
    sum = fmaf(sums[other][thread], share, sum);
  }
  const float result = tokens > 0 ? sum / total : 0.0f;
  o[row + thread] = static_cast<Bits>(tile::arch::pack_bf16(result, 0.0f));
}

// A block per token of the finished cache: grid (page_tokens, pages, sequences).
__global__ void __launch_bounds__(copy_threads)
    gather_pages(const __grid_constant__ StepArgs last, Bits* __restrict__ pages) {
  const int sequence = static_cast<int>(blockIdx.z);
  const int token = static_cast<int>(blockIdx.y * page_tokens + blockIdx.x);
  const bool there = token < tokens_of(sequence, last.step);
  const Bits* page = there ? last.page_of(sequence, token) : nullptr;
  const std::int64_t row = std::int64_t{last.heads} * head_size, rows = 2 * last.layers;
  Bits* out = pages + (std::int64_t{sequence} * last.pages_per_sequence + blockIdx.y) * rows *
                          page_tokens * row;
  for (std::int64_t i = threadIdx.x; i < rows * row / 8; i += copy_threads) {
    const std::int64_t in_row = 8 * i % row;
    const std::int64_t at = (8 * i / row * page_tokens + blockIdx.x) * row + in_row;
    *reinterpret_cast<uint4*>(out + at) =
        there ? *reinterpret_cast<const uint4*>(page + at) : uint4{};
  }
}

StepArgs step_args(const CacheRun& run, std::int64_t step, std::int64_t layer) {
  return {.table = run.table,
          .layers = static_cast<int>(run.shape.layers),
          .sequences = static_cast<int>(run.shape.sequences),
          .heads = static_cast<int>(run.shape.heads),
          .pages_per_sequence = static_cast<int>(run.shape.pages_per_sequence()),
          .layer = static_cast<int>(layer),
          .step = static_cast<int>(step)};
}

unsigned extent(std::int64_t value) { return static_cast<unsigned>(value); }

}  // namespace

void ch11::enqueue_map(const CacheRun& run, std::span<const NewPage> pages, cudaStream_t stream) {
  while (!pages.empty()) {
    const auto some = pages.first(std::min<std::size_t>(pages.size(), pages_per_launch));
    NewPages fresh{};
    std::copy(some.begin(), some.end(), fresh.pages);
    fresh.count = static_cast<int>(some.size());
    map_pages<<<1, pages_per_launch, 0, stream>>>(run.table, fresh);
    lab::check_cuda(cudaGetLastError(), "launch of map_pages");
    pages = pages.subspan(some.size());
  }
}

void ch11::enqueue_append(const CacheRun& run, std::int64_t step, std::int64_t layer,
                          cudaStream_t stream) {
  const dim3 grid(extent(run.shape.sequences), 2);
  append_tokens<<<grid, copy_threads, 0, stream>>>(step_args(run, step, layer), run.k, run.v);
  lab::check_cuda(cudaGetLastError(), "launch of append_tokens");
}

void ch11::enqueue_attention(const CacheRun& run, std::int64_t step, std::int64_t layer,
                             cudaStream_t stream) {
  // 1 / sqrt(head_size), and the logarithm that turns powers of e into those of two.
  const float scale = 1.44269504089f / sqrtf(static_cast<float>(head_size));
  const dim3 grid(extent(run.shape.heads), extent(run.shape.sequences));
  attend<<<grid, warps * lanes, 0, stream>>>(step_args(run, step, layer), run.q, run.o, scale);
  lab::check_cuda(cudaGetLastError(), "launch of attend");
}

void ch11::enqueue_gather(const CacheRun& run, cudaStream_t stream) {
  const dim3 grid(page_tokens, extent(run.shape.pages_per_sequence()), extent(run.shape.sequences));
  gather_pages<<<grid, copy_threads, 0, stream>>>(step_args(run, run.shape.steps - 1, 0),
                                                  run.pages);
  lab::check_cuda(cudaGetLastError(), "launch of gather_pages");
}
