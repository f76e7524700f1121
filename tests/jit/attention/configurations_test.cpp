// The library's compiled attention kernels and those that are compiled at run time have one
// configuration for an element and a head size: what a text states is read back here.
#include "tile/device/attention/configurations.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "jit/attention/kernels.hpp"
#include "tests/jit/attention/flex.hpp"

namespace aisp::jit::testing {
namespace {

using tile::Element;
using tile::Sm90AttentionConfig;
using tile::device::AttentionProblem;
using tile::device::forward_config;
using tile::device::forward_config_sm100;
using tile::device::has_forward;

constexpr Element elements[] = {Element::bf16, Element::f16, Element::e4m3, Element::e5m2,
                                Element::f32};
constexpr int longest_head = 512;

AttentionProblem problem_of(Element element, int head_size) {
  AttentionProblem problem{
      .query_heads = 1, .kv_heads = 1, .query_rows = 80, .kv_rows = 80, .head_size = head_size};
  problem.q.element = problem.k.element = problem.v.element = problem.o.element = element;
  return problem;
}

// {"head_size": "64", "element": "aisp::tile::Element::bf16", ...}
std::map<std::string, std::string> fields_in(const std::string& code) {
  const auto begin = code.find("Sm90AttentionConfig{"), end = code.find('}', begin);
  const std::string text = code.substr(begin, end - begin);
  std::map<std::string, std::string> fields;
  const std::regex field(R"(\.(\w+) = ([\w:]+))");
  for (std::sregex_iterator at(text.begin(), text.end(), field), none; at != none; ++at)
    fields[(*at)[1]] = (*at)[2];
  return fields;
}

Sm90AttentionConfig config_in(const std::string& code) {
  const auto fields = fields_in(code);
  const auto number = [&](const char* name) { return std::stoi(fields.at(name)); };
  const auto truth = [&](const char* name) { return fields.at(name) == "true"; };
  return {
      .element = fields.at("element") == "aisp::tile::Element::f16" ? Element::f16 : Element::bf16,
      .head_size = number("head_size"),
      .block_keys = number("block_keys"),
      .math_warpgroups = number("math_warpgroups"),
      .key_stages = number("key_stages"),
      .value_stages = number("value_stages"),
      .overlapped = truth("overlapped"),
      .ping_pong = truth("ping_pong"),
      .plain = truth("plain"),
      .listed = truth("listed")};
}

const AttentionFunctions causal{.mask = [](auto at) { return at.query >= at.key; }};
const AttentionFunctions capped{.score = [](auto s, auto) { return 5 * tanh(s / 5); }};

TEST(Configurations, OfTextsAreThoseOfTheInstances) {
  int compared = 0;
  for (const Element element : {Element::bf16, Element::f16})
    for (int head_size = 1; head_size <= longest_head; ++head_size) {
      if (!has_forward(element, head_size)) continue;
      const int length = 80;
      for (const bool plain : {true, false}) {
        AttentionProblem problem = problem_of(element, head_size);
        if (!plain) problem.kv_lengths = &length;
        const std::string windowed = forward_text(choose_variant(causal, {}, problem)).code;
        EXPECT_EQ(config_in(windowed), forward_config(element, head_size, plain)) << windowed;
        // Functions take the registers of a third warpgroup.
        const std::string functions = forward_text(choose_variant(capped, {}, problem)).code;
        EXPECT_EQ(config_in(functions), forward_config(element, head_size, false)) << functions;
        ++compared;
      }
    }
  EXPECT_EQ(compared, 2 * 4 * 2);
}

// What a kernel may have of an SM. The rules of wgmma and tcgen05 hold at compile time.
TEST(Configurations, FitAnSm) {
  const tile::arch::Limits hopper = tile::arch::limits_of(90),
                           blackwell = tile::arch::limits_of(100);
  int found = 0;
  for (const Element element : elements)
    for (int head_size = 1; head_size <= longest_head; ++head_size) {
      for (const bool plain : {true, false}) {
        if (!has_forward(element, head_size)) continue;
        const Sm90AttentionConfig config = forward_config(element, head_size, plain);
        EXPECT_EQ(config.element, element);
        EXPECT_EQ(config.head_size, head_size);
        EXPECT_LE(config.shared_bytes(), hopper.shared_per_block) << head_size;
        EXPECT_LE(
            128 * (config.math_warpgroups * config.math_registers() + config.loader_registers()),
            hopper.registers_per_block);
        ++found;
      }
      if (!tile::device::has_forward_sm100(element, head_size)) continue;
      const tile::Sm100AttentionConfig config = forward_config_sm100(element, head_size);
      EXPECT_EQ(config.element, element);
      EXPECT_EQ(config.head_size, head_size);
      EXPECT_LE(config.tmem().allocation(), blackwell.tensor_columns);
      EXPECT_LE(config.operands().shared_bytes(), blackwell.shared_per_block);
      ++found;
    }
  EXPECT_EQ(found, 2 * (4 + 4 + 3) + 2 * 2);
}

// As many fields as the text states: a new one must be emitted, too.
TEST(Configurations, TextsStateEveryField) {
  AttentionProblem problem = problem_of(Element::bf16, 128);
  const auto fields = fields_in(forward_text(choose_variant(causal, {}, problem)).code);
  // Does not compile when the configuration has another field.
  [[maybe_unused]] const auto& [element, head, block, warpgroups, keys, values, overlapped,
                                ping_pong, plain, listed] = Sm90AttentionConfig{};
  EXPECT_EQ(fields.size(), 10u);
}

TEST(Configurations, DecodeTakesFewRows) {
  AttentionProblem problem = problem_of(Element::bf16, 128);
  problem.query_heads = 8;
  problem.query_rows = 8;
  EXPECT_TRUE(tile::device::takes_decode(problem));
  problem.query_rows = 9;
  EXPECT_FALSE(tile::device::takes_decode(problem));
  problem.query_rows = 8;
  problem.q.element = Element::e4m3;
  EXPECT_FALSE(tile::device::takes_decode(problem));
}

}  // namespace
}  // namespace aisp::jit::testing
