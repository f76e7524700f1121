// tcgen05.mma with a sparse A in every kind and layout, with both selectors and with block scales,
// on random operands and metadata, against a second statement of layouts and arithmetic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/support/tensor_image.hpp"

using namespace aisp;

namespace {

using tensor_case::Case;
using tensor_case::Element;
using tensor_case::Layout;
namespace reference = tensor_reference;

class SparseTensorMma : public testing::TestWithParam<Case> {};

TEST_P(SparseTensorMma, IsTheProduct) { tensor_case::expect_product(GetParam()); }

struct Kind {
  const char* name;
  const Element* type;
  std::uint32_t code;
  int k;
  bool integers = false;
};
constexpr Kind plain_kinds[] = {{"f16", &reference::bf16, 1, 32},
                                {"tf32", &reference::tf32, 2, 16},
                                {"f8f6f4", &reference::e4m3, 0, 64},
                                {"i8", &reference::e4m3, 1, 64, true}};

Case of_kind(const Kind& kind) {
  return {.kind = kind.name,
          .a = kind.type,
          .b = kind.type,
          .a_code = kind.code,
          .b_code = kind.code,
          .k = kind.k,
          .integers = kind.integers,
          .b_layout = Layout::s128,
          .sparse = true};
}

// Every layout of D with each of the plain kinds, and both selectors where the kind has two.
void add_plain(std::vector<Case>& all) {
  struct Shape {
    const char* name;
    int m, n;
    bool pair, ws, a_in_tensor;
    int lane;
  };
  constexpr Shape shapes[] = {{"m128", 128, 16, false, false, false, 0},
                              {"m128_tensor", 128, 16, false, false, true, 0},
                              {"m64", 64, 16, false, false, false, 0},
                              {"m64_tensor", 64, 16, false, false, true, 16},
                              {"pair256", 256, 32, true, false, true, 0},
                              {"pair128", 128, 32, true, false, false, 16},
                              {"pair128_tensor", 128, 32, true, false, true, 0},
                              {"ws128", 128, 64, false, true, false, 0},
                              {"ws64", 64, 64, false, true, false, 0},
                              {"ws32", 32, 64, false, true, false, 0}};
  // Of f16 and tf32 one has selector 0 in a shape and the other one selector 1.
  for (const Kind& kind : plain_kinds)
    for (const Shape& shape : shapes) {
      const bool is_tf32 = kind.type == &reference::tf32, odd = (&shape - shapes) % 2 != 0;
      const int selector = kind.type->bits >= 16 && is_tf32 == odd ? 1 : 0;
      Case test = of_kind(kind);
      test.name = std::string(kind.name) + "_" + shape.name + "_" + std::to_string(selector);
      test.m = shape.m;
      test.n = shape.n;
      test.pair = shape.pair;
      test.ws = shape.ws;
      test.a_in_tensor = shape.a_in_tensor;
      test.lane = shape.lane;
      test.selector = selector;
      all.push_back(test);
    }
}

void add_scaled(std::vector<Case>& all) {
  constexpr std::pair<const Element*, std::uint32_t> narrow[] = {{&reference::e4m3, 0},
                                                                 {&reference::e5m2, 1},
                                                                 {&reference::e2m3, 3},
                                                                 {&reference::e3m2, 4},
                                                                 {&reference::e2m1, 5}};
  for (int i = 0; i < 5; ++i)
    for (const bool scaled : {false, true}) {
      const auto& [a, a_code] = narrow[i];
      const auto& [b, b_code] = narrow[(i + 1) % 5];
      all.push_back({.name = std::string(scaled ? "mx" : "") + "f8f6f4_" + std::to_string(i),
                     .kind = scaled ? "mxf8f6f4" : "f8f6f4",
                     .a = a,
                     .b = b,
                     .a_code = a_code,
                     .b_code = b_code,
                     .m = i == 1 && scaled ? 256 : 128,
                     .n = i == 1 && scaled ? 256 : 16,
                     .k = 64,
                     .pair = i == 1 && scaled,
                     .a_layout = Layout::s32,
                     .b_layout = i % 2 == 0 ? Layout::s64 : Layout::none,
                     .a_in_tensor = i == 2,
                     .scales = scaled ? 1 : 0,
                     .a_id = scaled ? i % 4 : 0,
                     .b_id = scaled ? (i + 1) % 4 : 0,
                     .words = scaled ? ".block_scale" : "",
                     .sparse = true});
    }
}

void add_fours(std::vector<Case>& all) {
  struct Form {
    const char *name, *kind;
    int scales;
    bool powers;
    const char* words;
    int id, n;
    bool a_in_tensor, pair;
  };
  constexpr Form forms[] = {
      {"mxf4", "mxf4", 2, true, ".block_scale", 2, 16, false, false},
      {"mxf4_pair", "mxf4", 2, true, ".block_scale.scale_vec::2X", 0, 32, false, true},
      {"nvf4", "mxf4nvf4", 4, false, ".block_scale.block16", 0, 256, false, false},
      {"nvf4_powers", "mxf4nvf4", 4, true, ".block_scale.scale_vec::4X", 0, 8, false, false},
      {"nvf4_32", "mxf4nvf4", 2, true, ".block_scale.block32", 2, 16, true, false},
      {"nvf4_pair", "mxf4nvf4", 4, false, ".block_scale.block16", 0, 32, false, true}};
  for (const Form& form : forms)
    all.push_back({.name = form.name,
                   .kind = form.kind,
                   .a = &reference::e2m1,
                   .b = &reference::e2m1,
                   .a_code = 1,
                   .b_code = 1,
                   .m = form.pair ? 256 : 128,
                   .n = form.n,
                   .k = 128,
                   .pair = form.pair,
                   .a_layout = Layout::s128,
                   .b_layout = form.n == 16 ? Layout::s64 : Layout::s128,
                   .a_in_tensor = form.a_in_tensor,
                   .scales = form.scales,
                   .powers = form.powers,
                   .a_id = form.id,
                   .b_id = form.id,
                   .words = form.words,
                   .sparse = true,
                   .bits = 35});
}

std::vector<Case> cases() {
  std::vector<Case> all;
  add_plain(all);
  add_scaled(all);
  add_fours(all);
  all.push_back({.name = "zero_columns",
                 .m = 64,
                 .k = 32,
                 .ws = true,
                 .last = ", %q3",
                 .zero_columns = 0x01010101ull | 1ull << 39 | 1ull << 40 | 2ull << 48,
                 .sparse = true,
                 .selector = 1});
  all.push_back({.name = "lanes_of_a_pair",
                 .n = 32,
                 .k = 32,
                 .pair = true,
                 .disable_lanes = true,
                 .sparse = true});
  all.push_back({.name = "f16_to_f16_negated",
                 .n = 32,
                 .k = 32,
                 .d_f16 = true,
                 .more = 1u << 13,
                 .sparse = true,
                 .selector = 1});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, SparseTensorMma, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
