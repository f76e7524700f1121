#include "lab/case/sizes.hpp"

#include <gtest/gtest.h>

#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

using Sizes = std::vector<std::vector<std::int64_t>>;

std::string refusal(const std::vector<std::string>& words) {
  try {
    parse_sizes(words);
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    return refusal.what();
  }
  return "accepted";
}

TEST(ParseSizes, ThreeSpellings) {
  EXPECT_EQ(parse_sizes({}), Sizes{});
  EXPECT_EQ(parse_sizes({"4096", "4096", "8192"}), (Sizes{{4096, 4096, 8192}}));
  EXPECT_EQ(parse_sizes({"4096x4096x8192"}), (Sizes{{4096, 4096, 8192}}));
  EXPECT_EQ(parse_sizes({"1x2,3x4", "5x6"}), (Sizes{{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(parse_sizes({"16"}), (Sizes{{16}}));
  EXPECT_EQ(parse_sizes({"16,32"}), (Sizes{{16}, {32}}));
}

TEST(ParseSizes, RefusesWithTheOffendingText) {
  EXPECT_EQ(refusal({"16", "0"}), "--sizes: '0' in '16 0' must be at least 1");
  EXPECT_EQ(refusal({"-8"}), "--sizes: '-8' must be at least 1");
  EXPECT_EQ(refusal({"12a"}),
            "--sizes: '12a' is not a whole number; write 4096x4096x8192 or 4096 4096 8192");
  EXPECT_NE(refusal({"1.5x2"}).find("'1.5' in '1.5x2' is not a whole number"), std::string::npos);
  EXPECT_NE(refusal({"-"}).find("'-' is not a whole number"), std::string::npos);
  EXPECT_NE(refusal({"4x"}).find("an extent is missing in '4x'"), std::string::npos);
  EXPECT_NE(refusal({"4x5,"}).find("an extent is missing in ''"), std::string::npos);
  EXPECT_NE(refusal({""}).find("an extent is missing"), std::string::npos);
  EXPECT_EQ(refusal({"9223372036854775808"}),
            "--sizes: '9223372036854775808' does not fit 64 bits");
  EXPECT_NE(refusal({"-9223372036854775809"}).find("does not fit 64 bits"), std::string::npos);
}

TEST(ParseSizes, RefusesAProductNoMachineHolds) {
  EXPECT_EQ(parse_sizes({"1125899906842624"}), (Sizes{{std::int64_t{1} << 50}}));
  EXPECT_EQ(parse_sizes({"1048576x1048576x1024"}).size(), 1u);
  EXPECT_EQ(refusal({"1048576x1048576x1025"}),
            "--sizes: '1048576x1048576x1025' multiplies to more than 2^50 elements");
  // 2^64: a product that would wrap around to zero.
  EXPECT_NE(refusal({"4294967296x4294967296"}).find("2^50"), std::string::npos);
  EXPECT_NE(refusal({"9223372036854775807", "9223372036854775807"}).find("2^50"),
            std::string::npos);
}

Target gemm() {
  Target target{.chapter = "ch09",
                .name = "x",
                .idea = "",
                .aliases = {},
                .axes = {"M", "N", "K"},
                .variants = {"bf16", "fp8"},
                .full = {},
                .quick = {},
                .problem = {}};
  target.full = {{"bf16", {64, 64, 64}}, {"fp8", {128, 128, 128}}, {"bf16", {32, 32, 32}}};
  target.quick = {{"bf16", {8, 8, 8}}, {"fp8", {16, 16, 16}}};
  return target;
}

std::vector<std::string> labels(const std::vector<Size>& sizes) {
  std::vector<std::string> all;
  for (const auto& size : sizes) all.push_back(size.label());
  return all;
}

using Labels = std::vector<std::string>;

TEST(SizesToRun, TheTargetsOwnLists) {
  EXPECT_EQ(labels(sizes_to_run(gemm(), "", false, {})),
            (Labels{"bf16 64x64x64", "fp8 128x128x128", "bf16 32x32x32"}));
  EXPECT_EQ(labels(sizes_to_run(gemm(), "bf16", false, {})),
            (Labels{"bf16 64x64x64", "bf16 32x32x32"}));
  EXPECT_EQ(labels(sizes_to_run(gemm(), "fp8", true, {})), (Labels{"fp8 16x16x16"}));
}

TEST(SizesToRun, GivenSizesForEveryVariantOrTheSelectedOne) {
  const Sizes given{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(labels(sizes_to_run(gemm(), "", true, given)),
            (Labels{"bf16 1x2x3", "bf16 4x5x6", "fp8 1x2x3", "fp8 4x5x6"}));
  EXPECT_EQ(labels(sizes_to_run(gemm(), "fp8", false, given)), (Labels{"fp8 1x2x3", "fp8 4x5x6"}));
}

TEST(SizesToRun, RefusesAnotherNumberOfExtents) {
  try {
    sizes_to_run(gemm(), "", false, {{1, 2, 3}, {4096, 4096}});
    FAIL() << "two extents passed for three axes";
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    EXPECT_STREQ(refusal.what(), "--sizes gives 2 extents but ch09:x takes 3: M N K");
  }
}

TEST(SizesToRun, RefusesAnUnknownVariant) {
  try {
    sizes_to_run(gemm(), "fp4", false, {});
    FAIL() << "an unknown variant passed";
  } catch (const base::Refusal& refusal) {
    EXPECT_STREQ(refusal.what(), "ch09:x has no variant 'fp4'; did you mean fp8? it has bf16, fp8");
  }
}

TEST(SizesToRun, SaysThatATargetHasNoVariants) {
  for (const auto& none : {std::vector<std::string>{}, std::vector<std::string>{""}}) {
    Target plain = gemm();
    plain.variants = none;
    try {
      sizes_to_run(plain, "bf16", false, {});
      FAIL() << "a variant of none passed";
    } catch (const base::Refusal& refusal) {
      EXPECT_STREQ(refusal.what(),
                   "ch09:x has no variants, and so none called 'bf16'; leave --variant out");
    }
  }
}

}  // namespace
}  // namespace aisp::lab
