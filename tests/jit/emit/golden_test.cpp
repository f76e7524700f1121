// The emitted text of the examples, as it is kept in tests/jit/golden/: short enough to be read in
// a change. AISP_WRITE_GOLDEN=1 writes the files anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "jit/program.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

static void compare_golden(const std::string& file, const std::string& text) {
  const std::string path = std::string(AISP_SOURCE_DIR) + "/tests/jit/golden/" + file;
  if (std::getenv("AISP_WRITE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream kept(path);
  std::ostringstream read;
  read << kept.rdbuf();
  EXPECT_EQ(read.str(), text) << file << " differs; AISP_WRITE_GOLDEN=1 writes it anew";
}

static void expect_golden(const std::string& file, const Program& program,
                          const Signature& signature) {
  compare_golden(file + ".kernel", program.variant(signature).emitted.kernel);
}

TEST(Golden, Softmax) {
  expect_golden("softmax", Program("softmax", samples::softmax),
                samples::signature({{bf16, {32768, 4096}}, {bf16, {32768, 4096}}}));
}
TEST(Golden, SoftmaxOfLongRows) {
  expect_golden("softmax_long", Program("softmax", samples::softmax),
                samples::signature({{bf16, {8, 200000}}, {bf16, {8, 200000}}}));
}
TEST(Golden, LayerNorm) {
  expect_golden(
      "layernorm", Program("layernorm", samples::layernorm),
      samples::signature({{bf16, {8, 1024}}, {f32, {1024}}, {f32, {1024}}, {bf16, {8, 1024}}}));
}
TEST(Golden, CrossEntropy) {
  const int codes[1] = {};
  const Array<int> labels(codes, 1, "labels");
  expect_golden("cross_entropy", Program("cross_entropy", samples::cross_entropy(labels)),
                samples::signature({{f32, {8, 1000}}, {f32, {8}}}));
}
TEST(Golden, VectorAdd) {
  expect_golden("vector_add", Program("vector_add", samples::vector_add),
                samples::signature({{f32, {5000}}, {f32, {5000}}, {f32, {5000}}}));
}
TEST(Golden, BiasGelu) {
  expect_golden("bias_gelu", Program("bias_gelu", samples::bias_gelu),
                samples::signature({{f16, {10, 300}}, {f32, {300}}, {e4m3, {10, 300}}}));
}
TEST(Golden, BiasSilu) {
  expect_golden(
      "bias_silu", Program("bias_silu", samples::bias_silu),
      samples::signature({{bf16, {35, 40}}, {bf16, {33, 40}}, {f32, {33}}, {f32, {35, 33}}}));
}
TEST(Golden, HelpersOfAllKernels) { compare_golden("helpers.kernel", helpers()); }

TEST(Emit, RefusesTilesThatDoNotFitSharedMemory) {
  Signature large =
      samples::signature({{bf16, {512, 64}}, {bf16, {512, 64}}, {f32, {512}}, {f32, {512, 512}}});
  large.choices = {{"tile_m", 256}, {"tile_n", 256}};
  const std::string here = "golden_test.cpp:" + std::to_string(__LINE__ + 2) + ": ";
  try {
    Program("bias_silu", samples::bias_silu).variant(large);
    FAIL();
  } catch (const base::Refusal& refused) {
    EXPECT_EQ(
        refused.what(),
        here +
            "bias_silu: the tiles of the plain schedule take 262144 bytes of shared memory, a "
            "block has 232448; use smaller tiles");
  }
}

}  // namespace aisp::jit
