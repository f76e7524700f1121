// Attention on Blackwell against float64: both head sizes and types, ragged lengths, masks, shared
// heads, padded, packed and paged sequences; and the exponential that its FMA units compute. Prints
// "ok" and returns 0 when all is right.
#include <cmath>

#include "tests/tile/kernels/attention_on_host.hpp"
#include "tile/arch/math.cuh"
#include "tile/arch/packed_f32.cuh"

using namespace aisp;

namespace {

using namespace attention_test;

void run(const char* what, const Setup& setup) {
  Attention(what, setup).run([&](const AttentionProblem& problem) {
    auto plan = tile::device::plan_attention(problem);
    if (plan.kernel().find("tcgen05_") == std::string::npos) {
      std::fprintf(stderr, "%s: is computed by %s\n", what, plan.kernel().c_str());
      std::exit(1);
    }
    return plan;
  });
}

// One to three blocks of keys with and without ragged ends, tiles of which the second half of the
// queries has no rows, has one, or sees more blocks than the first.
void run_lengths(Element element, int size) {
  struct Lengths {
    int queries, keys;
  };
  for (const auto [queries, keys] : {Lengths{1, 1}, {129, 129}, {300, 260}, {256, 128}})
    for (const int right : {unlimited, 0})
      run(right == 0 ? "causal" : "full", {.element = element,
                                           .head_size = size,
                                           .query_heads = 1,
                                           .query_rows = queries,
                                           .kv_rows = keys,
                                           .keys = {keys},
                                           .layout = Layout::rows_first,
                                           .right = right,
                                           .lengths = false,
                                           .log_sum = queries > 1});
}

void run_layouts() {
  using enum Element;
  using enum Layout;
  // More tiles than the eight multiprocessors of the test hold: barriers go on from tile to tile.
  run("many tiles", {.head_size = 64,
                     .query_heads = 6,
                     .kv_heads = 2,
                     .query_rows = 260,
                     .kv_rows = 140,
                     .keys = {140},
                     .lengths = false});
  // Rows that see no key at all, whole tiles of them among these.
  run("fewer keys", {.query_heads = 2,
                     .query_rows = 400,
                     .kv_rows = 90,
                     .keys = {90},
                     .right = 0,
                     .lengths = false});
  run("lengths", {.head_size = 128,
                  .query_heads = 2,
                  .query_rows = 90,
                  .kv_rows = 200,
                  .keys = {200, 20, 0, 1, 130},
                  .layout = rows_first,
                  .right = 0});
  for (const int size : {64, 128})
    run("packed", {.element = f16,
                   .head_size = size,
                   .query_heads = 2,
                   .query_rows = 150,
                   .kv_rows = 200,
                   .keys = {200, 65, 0, 90, 10, 1},
                   .queries = {100, 140, 20, 0, 150, 1},
                   .layout = packed,
                   .right = 0});
  // The second half of the queries is done before the first has seen its last keys.
  run("window", {.head_size = 64,
                 .query_heads = 1,
                 .query_rows = 256,
                 .kv_rows = 500,
                 .keys = {500},
                 .left = 100,
                 .right = 20});
  run("paged", {.query_heads = 2,
                .query_rows = 70,
                .kv_rows = 200,
                .keys = {200, 17, 0, 1},
                .layout = paged,
                .right = 0,
                .page_rows = 32});
  // Maxima that grow from block to block: outputs are corrected.
  run("large scores", {.query_heads = 1,
                       .query_rows = 200,
                       .kv_rows = 600,
                       .keys = {600},
                       .q_range = 60,
                       .lengths = false});
}

void run_refusals() {
  const auto refused = [](const char* part, const AttentionProblem& problem) {
    expect_refusal(part, [&] { tile::device::plan_attention(problem); });
  };
  AttentionProblem bad{.query_heads = 4, .query_rows = 100, .kv_rows = 64, .head_size = 96};
  bad.q = bad.k = bad.v =
      bad.o = {.data = reinterpret_cast<void*>(256), .row_stride = 96, .head_stride = 96};
  refused("heads have 64 or 128 elements: got bf16 and 96", bad);
}

struct Exponentials {
  float one, of_pair, beside;
};

__global__ void compute(const float* x, Exponentials* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float other = x[count - 1 - i];
  const float2 pair = tile::arch::exp2_polynomial_pair(tile::arch::pack_floats(x[i], other));
  to[i] = {tile::arch::exp2_polynomial(x[i]), pair.x, pair.y};
}

// Every 1/4096 over the whole range, ends and what lies beyond them.
void run_exponentials() {
  std::vector<float> x;
  for (int i = -130 * 4096; i <= 120 * 4096; i += 1 + (i < -4 * 4096 ? 160 : i > 4096 ? 240 : 0))
    x.push_back(static_cast<float>(i) / 4096);
  for (const float more : {-INFINITY, -3e38f, -127.5f, -126.5f, -0.0f, 0x1p-140f})
    x.push_back(more);
  const int count = static_cast<int>(x.size());
  auto* from = static_cast<float*>(upload(x.data(), x.size() * sizeof(float)));
  std::vector<Exponentials> got(x.size(), {NAN, NAN, NAN});
  auto* to = static_cast<Exponentials*>(upload(got.data(), got.size() * sizeof(got[0])));
  compute<<<(count + 127) / 128, 128>>>(from, to, count);
  require(cudaMemcpy(got.data(), to, got.size() * sizeof(got[0]), cudaMemcpyDeviceToHost),
          "exponentials");
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double want = std::exp2(static_cast<double>(x[i]));
    // Below the normal numbers: next to nothing, and never below zero.
    const double bound = x[i] < -126 ? 0x1p-126 : want * 0x1p-17;
    const float value = got[i].one;
    if (!(value >= 0 && std::abs(value - want) <= bound) || (x[i] <= -127 && value != 0)) {
      std::fprintf(stderr, "2^%g is %g, not %g\n", x[i], value, want);
      std::exit(1);
    }
    if (got[i].of_pair != value || got[x.size() - 1 - i].beside != value) {
      std::fprintf(stderr, "2^%g is %g alone, %g and %g in pairs\n", x[i], value, got[i].of_pair,
                   got[x.size() - 1 - i].beside);
      std::exit(1);
    }
  }
}

}  // namespace

int main() try {
  run_exponentials();
  for (const int size : {64, 128}) run_lengths(size == 64 ? Element::f16 : Element::bf16, size);
  run_layouts();
  run_refusals();
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
