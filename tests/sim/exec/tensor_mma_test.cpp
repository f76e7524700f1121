// tcgen05.mma with a dense A in every kind, layout and shape, on random operands, against a second
// statement of layouts and arithmetic; cells that are not D's stay as they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/support/tensor_image.hpp"

using namespace aisp;

namespace {

using tensor_case::Case;
using tensor_case::Element;
using tensor_case::Layout;
namespace reference = tensor_reference;

class TensorMma : public testing::TestWithParam<Case> {};

TEST_P(TensorMma, IsTheProduct) { tensor_case::expect_product(GetParam()); }

std::vector<Case> cases() {
  using reference::bf16, reference::e2m1, reference::e2m3, reference::e3m2, reference::e4m3,
      reference::e5m2, reference::f16, reference::tf32;
  std::vector<Case> all;
  const auto add = [&](Case test) { all.push_back(std::move(test)); };
  add({.name = "f16_plain"});
  add({.name = "f16_to_f16", .n = 40, .d_f16 = true});
  add({.name = "f16_overwrites", .n = 8, .accumulate = false});
  add({.name = "bf16_128",
       .a = &bf16,
       .b = &bf16,
       .a_code = 1,
       .b_code = 1,
       .n = 256,
       .a_layout = Layout::s128,
       .b_layout = Layout::s128});
  add({.name = "bf16_64",
       .a = &bf16,
       .b = &bf16,
       .a_code = 1,
       .b_code = 1,
       .a_layout = Layout::s64,
       .b_layout = Layout::s32});
  add({.name = "tf32_k",
       .kind = "tf32",
       .a = &tf32,
       .b = &tf32,
       .a_code = 2,
       .b_code = 2,
       .k = 8,
       .a_layout = Layout::s128,
       .b_layout = Layout::s64});
  add({.name = "tf32_mn",
       .kind = "tf32",
       .a = &tf32,
       .b = &tf32,
       .a_code = 2,
       .b_code = 2,
       .k = 8,
       .a_layout = Layout::atoms32,
       .b_layout = Layout::atoms32,
       .a_mn = true,
       .b_mn = true});
  for (const auto& [name, layout] : {std::pair{"none", Layout::none},
                                     {"32", Layout::s32},
                                     {"64", Layout::s64},
                                     {"128", Layout::s128}}) {
    add({.name = std::string("f16_mn_") + name,
         .a_layout = layout,
         .b_layout = layout,
         .a_mn = true,
         .b_mn = true});
    add({.name = std::string("e4m3_mn_") + name,
         .kind = "f8f6f4",
         .a = &e4m3,
         .b = &e5m2,
         .b_code = 1,
         .n = 128,
         .k = 32,
         .a_layout = layout,
         .b_layout = layout,
         .a_mn = true,
         .b_mn = true});
  }
  add({.name = "f16_m64", .m = 64});
  add({.name = "f16_m64_lane16", .m = 64, .lane = 16});
  add({.name = "f16_ws32", .m = 32, .n = 128, .ws = true});
  add({.name = "f16_ws64", .m = 64, .n = 128, .ws = true, .words = ".collector::b2::fill"});
  add({.name = "f16_ws128", .m = 128, .n = 256, .ws = true});
  // Start counts 1, enabled, skip 2, use 3.
  for (const int m : {32, 64, 128})
    add({.name = "f16_zero_columns" + std::to_string(m),
         .m = m,
         .n = 64,
         .ws = true,
         .last = ", %q3",
         .zero_columns = 0x01010101ull | 1ull << 39 | 1ull << 40 | 2ull << 48});
  add({.name = "f16_pair256", .m = 256, .n = 96, .pair = true});
  add({.name = "f16_pair128",
       .m = 128,
       .n = 96,
       .pair = true,
       .a_layout = Layout::s128,
       .b_layout = Layout::s128});
  add({.name = "f16_a_in_tensor", .a_in_tensor = true});
  add({.name = "f16_a_in_tensor_m64", .m = 64, .a_in_tensor = true, .lane = 16});
  add({.name = "f16_a_in_tensor_pair256", .m = 256, .pair = true, .a_in_tensor = true});
  add({.name = "f16_a_in_tensor_pair128", .m = 128, .pair = true, .a_in_tensor = true});
  add({.name = "tf32_a_in_tensor",
       .kind = "tf32",
       .a = &tf32,
       .b = &tf32,
       .a_code = 2,
       .b_code = 2,
       .k = 8,
       .a_in_tensor = true,
       .words = ".collector::a::use"});
  add({.name = "f16_ashift", .a_in_tensor = true, .words = ".ashift"});
  add({.name = "f16_negate", .more = 1u << 13});
  add({.name = "f16_negate_both", .more = 3u << 13});
  add({.name = "f16_scale_d", .last = ", 5", .scale_d = 5});
  add({.name = "f16_to_f16_scale_d", .d_f16 = true, .last = ", 3", .scale_d = 3});
  add({.name = "f16_lanes", .disable_lanes = true});
  add({.name = "f16_lanes_pair", .m = 256, .pair = true, .disable_lanes = true});
  const std::pair<const Element*, int> narrow[] = {
      {&e4m3, 0}, {&e5m2, 1}, {&e2m3, 3}, {&e3m2, 4}, {&e2m1, 5}};
  for (int i = 0; i < 5; ++i) {
    const auto& [a, a_code] = narrow[i];
    const auto& [b, b_code] = narrow[(i + 1) % 5];
    const auto x = static_cast<std::uint32_t>(a_code), y = static_cast<std::uint32_t>(b_code);
    add({.name = "f8f6f4_" + std::to_string(i),
         .kind = "f8f6f4",
         .a = a,
         .b = b,
         .a_code = x,
         .b_code = y,
         .k = 32,
         .d_f16 = i % 2 == 1,
         .b_layout = Layout::s128});
    add({.name = "f8f6f4_a_in_tensor_" + std::to_string(i),
         .kind = "f8f6f4",
         .a = a,
         .b = b,
         .a_code = x,
         .b_code = y,
         .k = 32,
         .a_in_tensor = true});
    add({.name = "mxf8f6f4_" + std::to_string(i),
         .kind = "mxf8f6f4",
         .a = a,
         .b = b,
         .a_code = x,
         .b_code = y,
         .k = 32,
         .a_layout = Layout::s128,
         .scales = 1,
         .a_id = i % 4,
         .b_id = (i + 1) % 4,
         .words = ".block_scale"});
  }
  for (const std::uint32_t code : {0u, 1u})
    add({.name = "i8_" + std::to_string(code),
         .kind = "i8",
         .a = &e4m3,
         .b = &e4m3,
         .a_code = code,
         .b_code = 1,
         .n = 48,
         .k = 32,
         .integers = true});
  add({.name = "mxf8_pair",
       .kind = "mxf8f6f4",
       .a = &e4m3,
       .b = &e4m3,
       .m = 256,
       .n = 128,
       .k = 32,
       .pair = true,
       .scales = 1,
       .a_id = 2,
       .words = ".block_scale.block32"});
  const auto fours = [&](const char* name, const char* kind, int count, bool powers,
                         const char* words, int id, bool tensor, bool pair) {
    add({.name = name,
         .kind = kind,
         .a = &e2m1,
         .b = &e2m1,
         .a_code = 1,
         .b_code = 1,
         .m = pair ? 256 : 128,
         .n = 128,
         .k = 64,
         .pair = pair,
         .a_layout = Layout::s128,
         .b_layout = Layout::s64,
         .a_in_tensor = tensor,
         .scales = count,
         .powers = powers,
         .a_id = id,
         .b_id = id,
         .words = words,
         .bits = 35});
  };
  fours("mxf4", "mxf4", 2, true, ".block_scale", 2, false, false);
  fours("nvf4", "mxf4nvf4", 4, false, ".block_scale.block16", 0, false, false);
  fours("nvf4_powers", "mxf4nvf4", 4, true, ".block_scale.scale_vec::4X", 0, false, false);
  fours("nvf4_32", "mxf4nvf4", 2, true, ".block_scale.block32", 0, true, false);
  fours("nvf4_pair", "mxf4nvf4", 4, false, ".block_scale.block16", 0, false, true);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, TensorMma, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
