// Results that were measured on a B200 (tests/sim/exec/b200_vectors; published with arXiv
// 2512.07004), through tcgen05.mma: vector i is row i of A, column i of B and element (i, i) of D.
// With D in f16 the accumulator is one too: c is rounded to it first.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/sim/support/tensor_reference.hpp"
#include "tests/sim/support/tensor_rig.hpp"

using namespace aisp;

namespace {

struct Vector {
  std::vector<std::uint32_t> a, b;
  std::uint32_t c = 0, d = 0;  // bits of f32
};

std::vector<Vector> read_vectors(const std::string& name) {
  std::ifstream file(std::filesystem::path(AISP_SOURCE_DIR) / "tests/sim/exec/b200_vectors" /
                     (name + ".txt"));
  std::vector<Vector> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    Vector& one = all.emplace_back();
    std::istringstream words(line);
    std::vector<std::uint32_t> parts[4];
    int part = 0;
    for (std::string word; words >> word;)
      if (word == "|")
        ++part;
      else
        parts[part].push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
    one = {parts[0], parts[1], parts[2].at(0), parts[3].at(0)};
  }
  return all;
}

// The f32 operands of the file as they stand in memory: 16 bits, or a whole word of tf32.
struct Kind {
  const char* file;
  const char* kind;
  int bytes;
  std::uint32_t types;  // bits 7-12 of the instruction descriptor
  bool to_f16 = false;
};

std::uint32_t narrowed(const Kind& kind, std::uint32_t bits) {
  const auto value = std::bit_cast<float>(bits);
  if (kind.bytes == 4) return bits;
  return kind.types == 0 ? base::encode<base::f16>(value) : base::encode<base::bf16>(value);
}

constexpr int most = 128, row_bytes = 32;

// Core matrices of 8 rows of 16 bytes, the second 16 bytes of k behind all rows.
std::size_t place(int row, int byte) {
  return static_cast<std::size_t>(row % 8 * 16 + row / 8 * 128 + byte % 16 + byte / 16 * 2048);
}

// D of up to 128 vectors.
std::vector<std::uint32_t> products(const Kind& kind, const std::vector<Vector>& vectors) {
  tensor_rig::Rig rig;
  rig.shared_bytes = 2 * most * row_bytes;
  rig.shared[0].resize(static_cast<std::size_t>(rig.shared_bytes));
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const auto row = static_cast<int>(i);
    for (std::size_t k = 0; k < vectors[i].a.size(); ++k)
      for (const bool is_b : {false, true}) {
        const std::uint32_t code = narrowed(kind, (is_b ? vectors[i].b : vectors[i].a)[k]);
        std::memcpy(rig.shared[0].data() + (is_b ? most * row_bytes : 0) +
                        place(row, static_cast<int>(k) * kind.bytes),
                    &code, static_cast<std::size_t>(kind.bytes));
      }
    tensor_rig::cell(rig.tensor[0], row, row) =
        kind.to_f16 ? base::encode<base::f16>(std::bit_cast<float>(vectors[i].c)) : vectors[i].c;
  }
  const std::uint32_t descriptor =
      (kind.to_f16 ? 0u : 1u) << 4 | kind.types << 7 | kind.types << 10 | 16u << 17 | 8u << 24;
  // Leading offset 2048, stride 128, version 1.
  rig.body = R"(
shr.u32 %m0, %tiles, 4;
cvt.u64.u32 %q0, %m0;
or.b64 %q0, %q0, 0x0000400800800000;
add.u64 %q1, %q0, 256;
tcgen05.mma.cta_group::1.kind::)" +
             std::string(kind.kind) + " [%base], %q0, %q1, " + std::to_string(descriptor) +
             ", %yes;\n";
  const auto cells = tensor_rig::run(rig, {{.order = sim::Order::latest, .host_threads = 1}});
  std::vector<std::uint32_t> results;
  for (std::size_t i = 0; i < vectors.size(); ++i)
    results.push_back(cells[0][i * tensor_rig::columns + i]);
  return results;
}

std::vector<std::uint32_t> all_products(const Kind& kind, const std::vector<Vector>& vectors) {
  std::vector<std::uint32_t> results;
  for (std::size_t first = 0; first < vectors.size(); first += most) {
    const auto begin = vectors.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = first + most < vectors.size() ? begin + most : vectors.end();
    const auto some = products(kind, {begin, end});
    results.insert(results.end(), some.begin(), some.end());
  }
  return results;
}

class B200Vectors : public testing::TestWithParam<Kind> {};

TEST_P(B200Vectors, AreReproducedBitForBit) {
  const auto vectors = read_vectors(GetParam().file);
  ASSERT_EQ(vectors.size(), 250u);
  const auto results = all_products(GetParam(), vectors);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const double d = std::bit_cast<float>(vectors[i].d);
    EXPECT_EQ(results[i], GetParam().to_f16 ? base::encode<base::f16>(d) : vectors[i].d)
        << GetParam().file << ", vector " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, B200Vectors,
                         testing::Values(Kind{"fp16_to_fp32", "f16", 2, 0},
                                         Kind{"fp16_to_fp16", "f16", 2, 0, true},
                                         Kind{"bf16_to_fp32", "f16", 2, 1},
                                         Kind{"tf32_to_fp32", "tf32", 4, 2}),
                         [](const auto& info) { return std::string(info.param.file); });

}  // namespace
