// 200 random functions: what is emitted for a kernel, and for the block mask, against the same
// functions read with numbers. Many of them are compiled together, as PTX.
#include <gtest/gtest.h>

#include <cstring>

#include "jit/attention/array_text.hpp"
#include "jit/attention/emit.hpp"
#include "jit/attention/kernels.hpp"
#include "jit/emit/emit.hpp"
#include "jit/run/kernel.hpp"
#include "tests/jit/attention/random_functions.hpp"
#include "tests/support/sweep.hpp"
#include "tests/tile/kernels/attention_on_host.hpp"
#include "tile/collective/attention/interval.hpp"

namespace aisp::jit::testing {
namespace {

constexpr unsigned in_a_module = 25;
const unsigned functions_in_all =
    static_cast<unsigned>(test_sweep::cases(in_a_module, 4 * in_a_module));
constexpr int keys = 384, queries = 320, heads = 6, sequences = 3;
constexpr int rows_of_test = 24, keys_of_test = 40;

// As the kernels of the test take them.
struct Sample {
  int sequence, head, first_row, row, first, column;
  float product;
};
struct Block {
  double sequence[2], head[2], query[2], key[2];
};

template <class T>
T* on_device(const std::vector<T>& values) {
  return static_cast<T*>(attention_test::upload(values.data(), values.size() * sizeof(T)));
}
template <class T>
std::vector<T> from_device(const T* data, std::size_t count) {
  std::vector<T> values(count);
  attention_test::require(
      cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), "download");
  return values;
}

std::string kernels_of(unsigned number, const AttentionVariant& variant) {
  const std::string n = std::to_string(number);
  return "namespace f" + n + " {\n" +
         functions_text(variant.form, {.masks = true, .precise = true}) + "}\nnamespace m" + n +
         " {\n" + interval_text(variant.form.function, false) + "}\n" +
         "extern \"C\" __global__ void values_" + n + "(const __grid_constant__ f" + n +
         "::Functions f, const Sample* samples, float* scores, int* seen, int count) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= count) return;\n"
         "  const Sample s = samples[i];\n"
         "  const auto tile = f.tile({s.sequence, s.head, " +
         std::to_string(queries) + ", " + std::to_string(keys) +
         ", 0, 0, s.first_row});\n  const auto row = f.row(tile, s.row);\n"
         "  const auto key = f.key(tile, s.first, s.column, f.from(f.fetch(tile, s.first + "
         "s.column), threadIdx.x % 32));\n"
         "  scores[i] = f.score(s.product, tile, row, key);\n"
         "  seen[i] = f.mask(tile, row, key);\n}\n"
         "extern \"C\" __global__ void blocks_" +
         n + "(const __grid_constant__ m" + n +
         "::Functions f, const Block* blocks, int* states) {\n"
         "  const Block b = blocks[blockIdx.x];\n  aisp::tile::BlockPlace at{};\n"
         "  at.sequence = {b.sequence[0], b.sequence[1]};\n  at.head = {b.head[0], b.head[1]};\n"
         "  at.query = {b.query[0], b.query[1]};\n  at.key = {b.key[0], b.key[1]};\n"
         "  at.keys = {" +
         std::to_string(keys) + ", " + std::to_string(keys) + "};\n  at.queries = {" +
         std::to_string(queries) + ", " + std::to_string(queries) +
         "};\n  const aisp::tile::Truth seen = f.seen(at);\n"
         "  if (threadIdx.x == 0) states[blockIdx.x] = (seen.some ? 1 : 0) | (seen.all ? 2 : "
         "0);\n}\n";
}

const char* const preface =
    "#include \"tile/collective/attention/functions.cuh\"\n"
    "#include \"tile/kernel/attention_block_mask.cuh\"\n";
const char* const samples_text =
    "struct Sample { int sequence, head, first_row, row, first, column; float product; };\n"
    "struct Block { double sequence[2], head[2], query[2], key[2]; };\n";

class RandomFunctions : public ::testing::Test {
 protected:
  RandomFunctions() {
    std::mt19937 random(7);
    const auto real = [&] { return static_cast<float>(random() % 1024) / 512 - 1; };
    std::vector<float> by_head(heads), by_row(keys), wild_rows(keys);
    const std::vector<float> wild_heads{0.5f, INFINITY, -0.25f, NAN, -INFINITY, 0.125f};
    std::vector<int> kinds(keys), large(keys);
    for (float& value : by_head) value = real();
    for (float& value : by_row) value = real();
    for (std::size_t row = 0; row < keys; ++row) {
      kinds[row] = static_cast<int>(row) / 50;
      large[row] = (1 << 26) + 1 + static_cast<int>(row) / 3;
      wild_rows[row] = row % 7 != 3   ? real()
                       : row % 2 == 0 ? -INFINITY
                       : row % 3 == 0 ? NAN
                                      : INFINITY;
    }
    arrays.emplace(RandomArrays{{on_device(by_head), by_head.size(), "by_head"},
                                {on_device(by_row), by_row.size(), "by_row"},
                                {on_device(kinds), kinds.size(), "kinds"},
                                {on_device(large), large.size(), "large"},
                                {on_device(wild_heads), wild_heads.size(), "wild_heads"},
                                {on_device(wild_rows), wild_rows.size(), "wild_rows"}});
    // Rows of one tile and keys of one thread, several times.
    for (int row = 0; row < rows_of_test; ++row) {
      const int sequence = static_cast<int>(random() % sequences),
                head = static_cast<int>(random() % heads);
      const int first_row = static_cast<int>(random() % 3) * 128;
      const int at = std::min(first_row + static_cast<int>(random() % 128), queries - 1);
      for (int key = 0; key < keys_of_test; ++key) {
        const int first = static_cast<int>(random() % (keys - 128));
        samples.push_back({sequence, head, std::min(first_row, at), at, first,
                           static_cast<int>(random() % 128), 12 * real()});
      }
    }
    for (int query = 0; query < queries; query += 64)
      for (int key = 0; key < keys; key += 128) {
        const double sequence = random() % sequences, head = random() % heads;
        const double shift = keys - queries;
        blocks.push_back({{sequence, sequence},
                          {head, head},
                          {query + shift, query + shift + 63},
                          {static_cast<double>(key), static_cast<double>(key + 127)}});
      }
  }

  static ScorePosition<Number> position(int sequence, int head, int query, int key) {
    return {.sequence = sequence,
            .head = head,
            .query = query,
            .key = key,
            .query_row = query - (keys - queries),
            .key_row = key,
            .queries = queries,
            .keys = keys};
  }

  // Of a row the softmax, and the logarithm of its sum where that is asked for: what the kernel may
  // leave out of all scores of a row shows in neither, and everything else does.
  void compare_values(const ScoreFunctions& functions, const AttentionVariant& variant,
                      const std::vector<float>& scores, const std::vector<int>& seen,
                      bool whole_rows, double scale) {
    const double factor = variant.form.factor * (variant.form.scaled ? scale : 1);
    for (std::size_t row = 0; row < rows_of_test; ++row) {
      SCOPED_TRACE(::testing::Message() << "row " << row);
      double size = 1;
      std::vector<double> want, got;
      for (std::size_t key = 0; key < keys_of_test; ++key) {
        const std::size_t i = row * keys_of_test + key;
        const Sample& s = samples[i];
        const auto at = position(s.sequence, s.head, s.row + keys - queries, s.first + s.column);
        want.push_back(functions.score(scale * double{s.product}, at));
        got.push_back(factor * double{scores[i]});
        EXPECT_EQ(seen[i] != 0, functions.sees(at)) << "sample " << i;
        EXPECT_EQ(kind_of(got.back()), kind_of(want.back())) << "sample " << i;
        if (std::isfinite(want.back())) size = std::max(size, std::abs(want.back()));
        if (std::isfinite(got.back())) size = std::max(size, std::abs(got.back()));
      }
      // Some ten roundings of numbers that are at most 32 times the result.
      const double error = 32 * 10 * 0x1p-23 * (size + 64);
      const double got_sum = log_sum_of(got), want_sum = log_sum_of(want);
      if (!std::isfinite(want_sum)) continue;  // no score is a number
      if (whole_rows) {
        EXPECT_NEAR(got_sum, want_sum, error);
      }
      for (std::size_t key = 0; key < want.size(); ++key)
        if (std::isfinite(want[key]) && std::isfinite(got[key])) {
          EXPECT_NEAR(got[key] - got_sum, want[key] - want_sum, error) << "key " << key;
        }
      ++rows_with_numbers;
    }
  }
  // Minus infinity hides a key, infinity and NaN make the row NaN.
  static std::string kind_of(double score) {
    return std::isnan(score)      ? "NaN"
           : std::isfinite(score) ? "a number"
           : score > 0            ? "inf"
                                  : "-inf";
  }
  // Over the scores that are numbers.
  static double log_sum_of(const std::vector<double>& scores) {
    double top = -INFINITY, sum = 0;
    for (const double score : scores)
      if (std::isfinite(score)) top = std::max(top, score);
    for (const double score : scores)
      if (std::isfinite(score)) sum += std::exp(score - top);
    return top + std::log(sum);
  }

  // A block whose state is certain is what every pair of it says.
  int compare_blocks(const ScoreFunctions& functions, const std::vector<int>& states) {
    int certain = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (states[i] == 1) continue;
      ++certain;
      EXPECT_NE(states[i], 2);
      const Block& b = blocks[i];
      bool as_said = true;
      // Every pair of 13 queries and 19 keys, the corners among them.
      for (int row = 0; row < 13; ++row)
        for (int j = 0; j < 19; ++j) {
          const int query = static_cast<int>(b.query[0]) + (row < 12 ? 5 * row : 63);
          const int key = static_cast<int>(b.key[0]) + (j < 18 ? 7 * j : 127);
          as_said = as_said && functions.sees(position(static_cast<int>(b.sequence[0]),
                                                       static_cast<int>(b.head[0]), query, key)) ==
                                   (states[i] == 3);
        }
      EXPECT_TRUE(as_said) << "block " << i << " is " << states[i];
    }
    return certain;
  }

  std::optional<RandomArrays> arrays;
  std::vector<Sample> samples;
  std::vector<Block> blocks;
  int rows_with_numbers = 0;
};

TEST_F(RandomFunctions, AreWhatTheyAreWithNumbers) {
  const Sample* device_samples = on_device(samples);
  const Block* device_blocks = on_device(blocks);
  float* scores = on_device(std::vector<float>(samples.size(), NAN));
  int* seen = on_device(std::vector<int>(samples.size(), -1));
  int* states = on_device(std::vector<int>(blocks.size(), -1));
  int certain = 0;
  for (unsigned first = 0; first < functions_in_all; first += in_a_module) {
    std::vector<ScoreFunctions> all;
    std::vector<AttentionVariant> variants;
    std::string text = preface + helpers() + attention_helpers() + samples_text;
    tile::device::AttentionProblem problem{.batch = sequences,
                                           .query_heads = heads,
                                           .kv_heads = heads,
                                           .query_rows = queries,
                                           .kv_rows = keys,
                                           .head_size = 64};
    for (unsigned number = first; number < first + in_a_module; ++number) {
      all.push_back(random_functions(1000 + 2 * number, *arrays));
      AttentionVariant variant;
      variant.form = normal_form(all.back().function(), limits_of(problem), number % 3 == 0);
      variant.masks = true;
      text += kernels_of(number, variant);
      variants.push_back(std::move(variant));
    }
    const Module module("random", compile({"random", text}, {.architecture = "compute_90a"}));
    const double scale = 1 / std::sqrt(64.0);
    for (unsigned at = 0; at < in_a_module; ++at) {
      SCOPED_TRACE(::testing::Message() << "function " << first + at);
      const std::string n = std::to_string(first + at);
      const std::vector<char> bytes = function_bytes(variants[at], all[at].arrays(), problem);
      const int count = static_cast<int>(samples.size());
      const auto argument = [](const auto& value) {
        return Argument{&value, static_cast<int>(sizeof value)};
      };
      const Argument functions{bytes.data(), static_cast<int>(bytes.size())};
      const Argument of_values[] = {functions, argument(device_samples), argument(scores),
                                    argument(seen), argument(count)};
      module.kernel("values_" + n)
          .launch(nullptr, {.grid = dim3(static_cast<unsigned>(count + 127) / 128), .block = 128},
                  of_values);
      const Argument of_blocks[] = {functions, argument(device_blocks), argument(states)};
      module.kernel("blocks_" + n)
          .launch(nullptr, {.grid = dim3(static_cast<unsigned>(blocks.size())), .block = 32},
                  of_blocks);
      attention_test::require(cudaDeviceSynchronize(), "random functions");
      const HostCopies copies(all[at].function().parameters, all[at].arrays());
      const HostCopies::Reading reading(copies);
      compare_values(all[at], variants[at], from_device(scores, samples.size()),
                     from_device(seen, samples.size()), (first + at) % 3 == 0, scale);
      certain += compare_blocks(all[at], from_device(states, blocks.size()));
      if (HasFailure()) {
        ADD_FAILURE() << kernels_of(first + at, variants[at]);
        return;
      }
    }
  }
  // The intervals are worth something: of 30 blocks of a function many are known to be whole or
  // empty.
  EXPECT_GT(certain, static_cast<int>(10 * functions_in_all));
  // ... and of its 24 rows most have scores to compare.
  EXPECT_GT(rows_with_numbers, static_cast<int>(12 * functions_in_all));
}

}  // namespace
}  // namespace aisp::jit::testing
