// tcgen05.mma in every kind, layout and shape, on random operands, against a second statement of
// layouts and arithmetic; cells that are not D's stay as they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/support/tensor_case.hpp"

using namespace aisp;

namespace {

using tensor_case::Case;
using tensor_case::Element;
using tensor_case::Layout;
namespace reference = tensor_reference;
using tensor_rig::cell;

bool disabled(const Case& test, int block, int lane) {
  if (!test.disable_lanes) return false;
  const int word = block == 0 ? lane / 32 : 3 - lane / 32;
  return (0x01020304u << word >> lane % 32 & 1) != 0;
}

// The column mask of the tests: three columns used, two not, from the second on.
bool zero_column(const Case& test, int column) {
  if (test.zero_columns == 0) return false;
  const int parts = 128 / test.m, at = column % (test.n / parts);
  return (at + 1) % 5 >= 3;
}

void put_shared(const Case& test, const tensor_case::Operands& in, tensor_rig::Rig& rig) {
  const int blocks = test.pair ? 2 : 1;
  const int stored = test.sparse ? test.k / 2 : test.k;
  Case half = test;  // what A is stored as
  half.k = stored;
  for (int i = 0; i < blocks; ++i)
    rig.shared[i].assign(static_cast<std::size_t>(rig.shared_bytes), 0xa5);
  const int rows = test.m / blocks, columns = test.n / blocks;
  if (!test.a_in_tensor)
    for (int row = 0; row < test.m; ++row)
      for (int k = 0; k < stored; ++k)
        tensor_case::put_bits(rig.shared[row / rows],
                              tensor_case::bit_of(test.k == stored ? test : half, *test.a,
                                                  test.a_layout, test.a_mn, rows, row % rows, k),
                              test.a->bits, tensor_case::a_of(test, in, row, k));
  for (int column = 0; column < test.n; ++column)
    for (int k = 0; k < test.k; ++k)
      tensor_case::put_bits(rig.shared[column / columns],
                            tensor_case::b_at * std::size_t{8} +
                                tensor_case::bit_of(test, *test.b, test.b_layout, test.b_mn,
                                                    columns, column % columns, k),
                            test.b->bits, in.b[static_cast<std::size_t>(column * test.k + k)]);
}

void put_a(const Case& test, const tensor_case::Operands& in, tensor_rig::Rig& rig) {
  const int stored = test.sparse ? test.k / 2 : test.k;
  for (int row = 0; row < test.m; ++row)
    for (int copy = 0; copy < (test.pair && test.m == 128 ? 2 : 1); ++copy) {
      const auto at = tensor_case::place_of(test, row, copy * test.n / 2);
      for (int k = 0; k < stored; ++k) {
        std::uint32_t code = tensor_case::a_of(test, in, row, k);
        int bits = test.a->bits;
        if (bits < 8 && test.k != 64) {
          code <<= bits == 4 ? 2 : 0;
          bits = 8;
        }
        std::uint32_t& word =
            cell(rig.tensor[at.block], at.lane, tensor_case::a_column + k * bits / 32);
        const int shift = k * bits % 32;
        const std::uint32_t mask = (bits == 32 ? ~0u : (1u << bits) - 1) << shift;
        word = (word & ~mask) | (code << shift & mask);
      }
    }
}

void put_scales(const Case& test, const tensor_case::Operands& in, tensor_rig::Rig& rig) {
  const int blocks = test.pair ? 2 : 1;
  const auto put = [&](int block, int row, int column, int id, const std::uint8_t* codes) {
    for (int quarter = 0; quarter < 4; ++quarter)
      for (int i = 0; i < test.scales; ++i) {
        std::uint32_t& word = cell(rig.tensor[block], row % 32 + 32 * quarter, column + row / 32);
        word = (word & ~(0xffu << 8 * (id + i))) | std::uint32_t{codes[i]} << 8 * (id + i);
      }
  };
  for (int row = 0; row < test.m; ++row)
    put(row / 128, row % 128, tensor_case::sa_column, test.a_id, in.sa.data() + row * test.scales);
  for (int block = 0; block < blocks; ++block)
    for (int column = 0; column < test.n; ++column)
      put(block, column, tensor_case::sb_column, test.b_id, in.sb.data() + column * test.scales);
}

void put_metadata(const Case& test, const tensor_case::Operands& in, tensor_rig::Rig& rig) {
  const int stored = test.k / 2;
  const bool single = test.a == &reference::tf32;
  const bool wide = test.a->bits >= 16;
  for (int row = 0; row < test.m; ++row)
    for (int i = 0; i < stored; i += single ? 1 : 2) {
      const int kept = in.kept[static_cast<std::size_t>(row * stored + i)];
      const int k = single ? 2 * i : 2 * i;  // first of the group
      std::uint32_t nibble =
          single ? (kept % 2 == 0 ? 0x4u : 0xeu)
                 : static_cast<std::uint32_t>(kept - k) |
                       static_cast<std::uint32_t>(
                           in.kept[static_cast<std::size_t>(row * stored + i + 1)] - k)
                           << 2;
      const int m = row % 128, scaled = single ? 2 * k : k;  // bits of the row before it
      const int lane = wide ? m % 8 + 16 * (m / 16) + 8 * (scaled / 16) : m;
      const int bit = wide ? scaled % 16 + 16 * (m / 8 % 2) : scaled % 32;
      std::uint32_t& word =
          cell(rig.tensor[row / 128], lane, tensor_case::meta_column + (wide ? 0 : scaled / 32));
      word = (word & ~(15u << bit)) | nibble << bit;
    }
}

class TensorMma : public testing::TestWithParam<Case> {};

TEST_P(TensorMma, IsTheProduct) {
  const Case& test = GetParam();
  std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(test.name)));
  const auto in = tensor_case::make_operands(test, random);
  tensor_rig::Rig rig;
  rig.pair = test.pair;
  rig.body = tensor_case::instruction(test);
  for (auto& cells : rig.tensor)
    for (auto& word : cells) word = static_cast<std::uint32_t>(random());
  put_shared(test, in, rig);
  if (test.a_in_tensor) put_a(test, in, rig);
  if (test.scales != 0) put_scales(test, in, rig);
  if (test.sparse) put_metadata(test, in, rig);
  for (int row = 0; row < test.m; ++row)
    for (int column = 0; column < test.n; ++column) {
      const auto at = tensor_case::place_of(test, row, column);
      cell(rig.tensor[at.block], at.lane, tensor_case::d_column + at.column) =
          in.c[static_cast<std::size_t>(row * test.n + column)];
    }
  const auto cells = tensor_rig::run(rig, {{.order = sim::Order::earliest, .host_threads = 1},
                                           {.order = sim::Order::latest, .host_threads = 1}});
  auto want = std::vector<tensor_rig::Cells>(rig.tensor, rig.tensor + (test.pair ? 2 : 1));
  for (int row = 0; row < test.m; ++row)
    for (int column = 0; column < test.n; ++column) {
      const auto at = tensor_case::place_of(test, row, column);
      if (disabled(test, at.block, at.lane)) continue;
      cell(want[static_cast<std::size_t>(at.block)], at.lane, tensor_case::d_column + at.column) =
          tensor_case::expected(test, in, row, column, zero_column(test, column));
    }
  if (test.words.find("ashift") != std::string::npos)
    for (int lane = 0; lane < 128; ++lane)
      if (lane % 32 != 31)
        for (int i = 0; i < 8; ++i)
          cell(want[0], lane, tensor_case::a_column + i) =
              cell(rig.tensor[0], lane + 1, tensor_case::a_column + i);
  int wrong = 0;
  for (std::size_t block = 0; block < want.size(); ++block)
    for (int lane = 0; lane < 128; ++lane)
      for (int column = 0; column < 512; ++column) {
        const auto at = static_cast<std::size_t>(lane * 512 + column);
        if (cells[block][at] != want[block][at] && ++wrong < 5)
          ADD_FAILURE() << "block " << block << " lane " << lane << " column " << column << ": "
                        << std::hex << cells[block][at] << ", not " << want[block][at];
      }
  EXPECT_EQ(wrong, 0);
}

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
  add({.name = "sparse_f16", .k = 32, .sparse = true});
  add({.name = "sparse_tf32",
       .kind = "tf32",
       .a = &tf32,
       .b = &tf32,
       .a_code = 2,
       .b_code = 2,
       .k = 16,
       .b_layout = Layout::s128,
       .sparse = true});
  add({.name = "sparse_e4m3", .kind = "f8f6f4", .a = &e4m3, .b = &e4m3, .k = 64, .sparse = true});
  add({.name = "sparse_pair",
       .m = 256,
       .k = 32,
       .pair = true,
       .b_layout = Layout::s64,
       .sparse = true});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, TensorMma, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
