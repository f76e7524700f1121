// Attention in e4m3 with a scale for every 128 rows against float64. Prints "ok" and returns 0 when
// all is right.
#include "base/refuse.hpp"
#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/device/attention/attention.hpp"

using namespace aisp;

namespace {

using namespace gemm_test;
using tile::device::AttentionProblem;
using tile::device::HeadTensor;
using tile::device::rows_per_scale;

struct Shape {
  int heads, kv_heads, queries, keys, size;
  bool causal;
};

std::size_t index(std::int64_t at) { return static_cast<std::size_t>(at); }

template <class T>
T* on_device(const std::vector<T>& values) {
  void* memory = nullptr;
  require(cudaMalloc(&memory, values.size() * sizeof(T)), "cudaMalloc");
  require(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
          "upload");
  return static_cast<T*>(memory);
}

// (heads, rows, size) codes and their scales.
struct Quantised {
  int rows, size, scales_of_head;
  std::vector<std::uint8_t> codes;
  std::vector<float> scales;

  Quantised(int heads, int rows_, int size_, double range, std::uint64_t seed)
      : rows(rows_), size(size_), scales_of_head((rows_ + rows_per_scale - 1) / rows_per_scale) {
    for (int i = 0; i < heads * rows * size; ++i)
      codes.push_back(
          static_cast<std::uint8_t>(encode_float<Element::e4m3>(400 * unit_value(index(i), seed))));
    // Scales that differ, so that one taken from a neighbour shows.
    for (int i = 0; i < heads * scales_of_head; ++i)
      scales.push_back(static_cast<float>(range / 400 * (1 + i % 3 * 0.5)));
  }
  double value(int head, int row, int d) const {
    const auto code = codes[index((std::int64_t{head} * rows + row) * size + d)];
    return decode(Element::e4m3, code) *
           scales[index(head * scales_of_head + row / rows_per_scale)];
  }
  HeadTensor tensor() const {
    return {on_device(codes), Element::e4m3, size, std::int64_t{rows} * size, 0};
  }
};

void check(const Shape& s) {
  const Quantised q(s.heads, s.queries, s.size, 4, 1), k(s.kv_heads, s.keys, s.size, 1, 2),
      v(s.kv_heads, s.keys, s.size, 1, 3);
  std::vector<std::uint16_t> out(index(s.heads * s.queries * s.size), 0xffff);
  std::uint16_t* device_out = on_device(out);
  AttentionProblem p{.query_heads = s.heads,
                     .kv_heads = s.kv_heads,
                     .query_rows = s.queries,
                     .kv_rows = s.keys,
                     .head_size = s.size,
                     .q = q.tensor(),
                     .k = k.tensor(),
                     .v = v.tensor()};
  p.o = {device_out, Element::bf16, s.size, std::int64_t{s.queries} * s.size, 0};
  if (s.causal) p.window_right = 0;
  p.q_scales = on_device(q.scales);
  p.k_scales = on_device(k.scales);
  p.v_scales = on_device(v.scales);
  const auto plan = tile::device::plan_attention(p);
  plan.run();
  plan.run();
  require(cudaDeviceSynchronize(), "attention");
  require(cudaMemcpy(out.data(), device_out, out.size() * 2, cudaMemcpyDeviceToHost), "download");
  for (int head = 0; head < s.heads; ++head)
    for (int i = 0; i < s.queries; ++i) {
      const int kv_head = head / (s.heads / s.kv_heads);
      const int seen = s.causal ? i + s.keys - s.queries + 1 : s.keys;
      std::vector<double> weights;
      double top = -1e300, sum = 0, off = 0;
      for (int j = 0; j < seen; ++j) {
        double score = 0, magnitude = 0;
        for (int d = 0; d < s.size; ++d) {
          const double term = q.value(head, i, d) * k.value(kv_head, j, d) / std::sqrt(s.size);
          score += term;
          magnitude += std::abs(term);
        }
        weights.push_back(score);
        top = std::max(top, score);
        off = std::max(off, magnitude * 0x1p-12);  // the unit keeps 13 bits of a sum
      }
      for (double& weight : weights) sum += weight = std::exp(weight - top);
      for (int d = 0; d < s.size; ++d) {
        double want = 0, magnitude = 0, spread = 0;
        for (int j = 0; j < seen; ++j) {
          const double value = v.value(kv_head, j, d);
          want += weights[index(j)] / sum * value;
          magnitude += weights[index(j)] / sum * std::abs(value);
          spread += std::abs(value);
        }
        // Weights times 2^8 in e4m3: half an ulp is 2^-4 of them, below its least normal number
        // 2^-10 in all; and the sum of the second product again.
        const double error = magnitude * (2 * off + 0x1p-4 + 0x1p-8) + spread / sum * 0x1p-18;
        const double got =
            decode(Element::bf16, out[index((std::int64_t{head} * s.queries + i) * s.size + d)]);
        if (std::abs(got - want) <= error + std::abs(want) * 0x1p-8) continue;
        base::refuse(base::Exit::wrong, "size ", s.size, ": o(", head, ", ", i, ", ", d, ") is ",
                     got, ", not ", want, " within ", error);
      }
    }
  for (const void* memory : {p.q.data, p.k.data, p.v.data, p.o.data})
    cudaFree(const_cast<void*>(memory));
}

}  // namespace

int main() try {
  check({.heads = 2, .kv_heads = 1, .queries = 150, .keys = 300, .size = 64, .causal = false});
  check({.heads = 1, .kv_heads = 1, .queries = 200, .keys = 280, .size = 128, .causal = true});
  check({.heads = 2, .kv_heads = 2, .queries = 140, .keys = 140, .size = 256, .causal = true});
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
