// What `aisp tune gemm` measures: the library's own recipes, without a device to run them on.
#include "app/tune/gemm_tuner.hpp"

#include <gtest/gtest.h>

#include <set>

#include "app/tune/tune_size.hpp"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::app {
namespace {

using tile::Element;
using tile::device::GemmKey;

constexpr GemmKey bf16_key(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.m = m, .n = n, .k = k};
}

TEST(GemmTuner, OffersEveryRecipeThatTakesTheProductAndTheRulesOwnFirst) {
  GemmTuner tuner;
  const auto candidates = tuner.candidates(bf16_key(512, 512, 16384));
  ASSERT_FALSE(candidates.empty());
  EXPECT_TRUE(candidates[0].choice.recipe.starts_with("split_k")) << candidates[0].choice.recipe;
  EXPECT_GT(candidates[0].choice.splits, 1);
  std::set<std::string> recipes, names;
  for (const auto& candidate : candidates) {
    recipes.insert(candidate.choice.recipe);
    EXPECT_TRUE(names.insert(name_of(candidate.choice)).second) << name_of(candidate.choice);
  }
  for (const char* recipe : {"cooperative_128x256", "stream_k_128x256", "ping_pong_128x128_pair",
                             "few_rows_16", "multistage_128x128", "general"})
    EXPECT_TRUE(recipes.contains(recipe)) << recipe;
  EXPECT_GT(candidates.size(), 5 * recipes.size() / 2) << "several orders of each";
}

TEST(GemmTuner, LeavesOutWhatDoesNotTakeTheProduct) {
  GemmTuner tuner;
  GemmKey key = bf16_key(64, 64, 64);
  key.a.element = key.b.element = Element::f32;
  key.d.element = Element::f32;
  const auto candidates = tuner.candidates(key);
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].choice.recipe, "general");
  EXPECT_EQ(candidates[0].needs, lab::Needs::sm_80);
  key.b.element = Element::s32;
  EXPECT_TRUE(tuner.candidates(key).empty());
}

}  // namespace
}  // namespace aisp::app
