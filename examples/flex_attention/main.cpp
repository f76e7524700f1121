// Attention with ALiBi over documents that lie one behind the other: two lambdas, one kernel. The
// same lambdas, called with numbers, are what its result is compared with.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

#include "jit/attention.hpp"

using namespace aisp;

static constexpr int heads = 2, rows = 300, size = 128;

static void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

template <class T>
static T* on_device(const std::vector<T>& numbers) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, numbers.size() * sizeof(T)));
  check(cudaMemcpy(memory, numbers.data(), numbers.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(memory);
}

// bf16 is the upper half of an f32.
static float value_of(std::uint16_t code) {
  const std::uint32_t bits = std::uint32_t{code} << 16;
  float value;
  static_assert(sizeof value == sizeof bits);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
static std::vector<std::uint16_t> some_numbers(float step, float scale) {
  std::vector<std::uint16_t> codes(heads * rows * size);
  for (std::size_t at = 0; at < codes.size(); ++at) {
    const float value = scale * std::sin(step * static_cast<float>(at));
    std::uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    codes[at] = static_cast<std::uint16_t>(bits >> 16);
  }
  return codes;
}

static void run() {
  std::vector<int> ids(rows);
  for (int row = 0; row < rows; ++row) ids[static_cast<std::size_t>(row)] = row / 90;
  const jit::Array<float> slope(on_device<float>({0.5f, 0.125f}), heads, "slope");
  const jit::Array<int> document(on_device(ids), ids.size(), "document");
  const jit::FlexAttention attention(jit::AttentionFunctions{
      .score = [=](auto s, auto at) { return s + slope[at.head] * (at.key - at.query); },
      .mask =
          [=](auto at) { return at.query >= at.key && document[at.query] == document[at.key]; }});

  const auto q = some_numbers(0.37f, 4), k = some_numbers(0.73f, 1), v = some_numbers(1.1f, 1);
  std::uint16_t* const out = on_device(std::vector<std::uint16_t>(q.size()));
  const auto tensor = [](const void* data) {  // (heads, rows, size)
    return tile::device::HeadTensor{.data = data, .row_stride = size, .head_stride = rows * size};
  };
  tile::device::AttentionProblem problem{.query_heads = heads,
                                         .kv_heads = heads,
                                         .query_rows = rows,
                                         .kv_rows = rows,
                                         .head_size = size};
  problem.q = tensor(on_device(q)), problem.k = tensor(on_device(k));
  problem.v = tensor(on_device(v)), problem.o = tensor(out);
  const jit::FlexPlan plan = attention.plan(problem);
  plan.run();
  std::vector<std::uint16_t> o(q.size());
  check(cudaMemcpy(o.data(), out, o.size() * 2, cudaMemcpyDeviceToHost));

  const jit::ScoreFunctions& functions = attention.functions();
  const jit::HostCopies copies(functions.function().parameters, functions.arrays());
  const jit::HostCopies::Reading reading(copies);
  double worst = 0;
  bool right_everywhere = true;
  for (int head = 0; head < heads; ++head)
    for (int query = 0; query < rows; ++query) {
      std::vector<double> want(size);
      double sum = 0;
      const auto row = [&](int at) { return static_cast<std::size_t>((head * rows + at) * size); };
      for (int key = 0; key < rows; ++key) {
        const jit::ScorePosition<jit::Number> at{0, head, query, key, query, key, rows, rows};
        if (!functions.sees(at)) continue;
        double score = 0;
        for (std::size_t i = 0; i < size; ++i)
          score += double{value_of(q[row(query) + i])} * value_of(k[row(key) + i]);
        const double weight = std::exp(functions.score(score / std::sqrt(1.0 * size), at));
        sum += weight;
        for (std::size_t i = 0; i < size; ++i) want[i] += weight * value_of(v[row(key) + i]);
      }
      for (std::size_t i = 0; i < size; ++i) {
        const double error = std::fabs(value_of(o[row(query) + i]) - want[i] / sum);
        worst = std::max(worst, error);
        right_everywhere =
            right_everywhere && error < 0.02;  // what is no number is not less either
      }
    }
  const auto blocks = plan.block_mask().count();
  std::printf("%s: largest error %.1e; %lld of %lld blocks, %lld without the mask\n",
              plan.kernel().c_str(), worst, static_cast<long long>(blocks.seen),
              static_cast<long long>(blocks.all), static_cast<long long>(blocks.whole));
  if (!right_everywhere) throw std::runtime_error("wrong");
}

int main() {
  try {
    run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flex_attention: %s\n", error.what());
    return 1;
  }
}
