// The sums of tcgen05.mma at the edges of the ways that they are computed in: operands and
// accumulators of several distributions, in one group of products each, against the plain statement
// of the rule. Twenty-four columns are one and a half vectors of two registers of AVX2.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/sim/support/tensor_reference.hpp"
#include "tests/sim/support/tensor_rig.hpp"

using namespace aisp;

namespace {

using tensor_reference::Element;
using tensor_reference::Term;

constexpr int rows = 64, columns = 24, at_once = 8, row_bytes = 32, tile_bytes = 4096;

struct Case {
  const char* name;
  const char* kind;
  const Element* a;
  const Element* b;
  std::uint32_t a_code, b_code;  // of the instruction descriptor
  bool to_f16 = false;
  int bytes() const { return a->bits / 8; }
  int terms() const { return row_bytes / bytes(); }
};

enum class Spread {
  ordinary,
  any_bits,
  subnormal,         // half of them
  zeros_and_ones,    // of both signs
  extreme,           // smallest and largest
  few_special,       // NaN and infinity among numbers near one
  few_tiny,          // far below the others
  largest_fraction,  // the sum does not fit 32 bits
  all_zero,
  near_least,      // sums of exponents around -98
  near_largest,    // around 115
  wide,            // over most exponents
  products_below,  // under f32's normal numbers
};
constexpr Spread spreads[] = {
    Spread::ordinary,       Spread::any_bits,    Spread::subnormal,        Spread::zeros_and_ones,
    Spread::extreme,        Spread::few_special, Spread::few_tiny,         Spread::largest_fraction,
    Spread::all_zero,       Spread::near_least,  Spread::near_largest,     Spread::wide,
    Spread::products_below, Spread::ordinary,    Spread::largest_fraction, Spread::few_tiny};

std::uint32_t draw(const Element& type, Spread spread, std::mt19937& random) {
  const bool is_tf32 = &type == &tensor_reference::tf32;
  const int fraction_bits = type.fraction_bits();
  const int bias = (1 << (type.exponent_bits - 1)) - 1, top = 2 * bias + 1;
  std::uint32_t fraction = static_cast<std::uint32_t>(random()) & ((1u << fraction_bits) - 1);
  const auto below = [&](int count) {
    return static_cast<int>(random() % static_cast<unsigned>(count));
  };
  std::uint32_t sign = random() & 1;
  int field = bias - 3 + below(7);
  switch (spread) {
    case Spread::ordinary:
      break;
    case Spread::any_bits:
      field = below(top + 1);
      break;
    case Spread::subnormal:
      field = below(2) == 0 ? 0 : field;
      break;
    case Spread::zeros_and_ones:
      field = below(2) * bias;
      fraction = 0;
      break;
    case Spread::extreme:
      field = below(2) == 0 ? below(2) : top - 1;
      break;
    case Spread::few_special:
      field = below(60) == 0 ? top : field;
      if (field == top && below(2) == 0) fraction = 0;
      break;
    case Spread::few_tiny:
      field = below(10) == 0 ? below(bias) : field;
      break;
    case Spread::largest_fraction:
      field = bias;
      fraction = (1u << fraction_bits) - 1 - (below(16) == 0 ? 1 : 0);
      sign = 0;
      break;
    case Spread::all_zero:
      field = 0;
      fraction = 0;
      break;
    case Spread::near_least:
      field = bias - 50 + below(4);
      break;
    case Spread::near_largest:
      field = bias + 55 + below(5);
      break;
    case Spread::wide:
      field = bias - 58 + below(117);
      break;
    case Spread::products_below:
      field = bias - 66 + below(4);
      break;
  }
  field = std::clamp(field, 0, top);
  const std::uint32_t code =
      sign << (type.bits - 1) | static_cast<std::uint32_t>(field) << fraction_bits | fraction;
  // The low bits of tf32 mean nothing.
  return is_tf32 ? (code & ~0x1fffu) | (static_cast<std::uint32_t>(random()) & 0x1fffu) : code;
}

// Core matrices of 8 rows of 16 bytes, the second 16 bytes of k behind all rows.
std::size_t place(int row, int byte) {
  return static_cast<std::size_t>(row % 8 * 16 + row / 8 * 128 + byte % 16 + byte / 16 * 2048);
}
int lane_of(int row) { return 32 * (row / 16) + row % 16; }

struct Operands {
  std::vector<Term> a[rows], b[columns];
  void fill(const Case& test, Spread spread, std::uint8_t* tiles, std::mt19937& random) {
    for (int row = 0; row < rows + columns; ++row) {
      const bool is_a = row < rows;
      const Element& type = is_a ? *test.a : *test.b;
      auto& terms = is_a ? a[row] : b[row - rows];
      for (int k = 0; k < test.terms(); ++k) {
        const std::uint32_t code = draw(type, spread, random);
        std::memcpy(
            tiles + (is_a ? 0 : tile_bytes) + place(is_a ? row : row - rows, k * test.bytes()),
            &code, static_cast<std::size_t>(test.bytes()));
        terms.push_back(tensor_reference::decode(type, code));
      }
    }
  }
  std::uint32_t sum(const Case& test, int row, int column, std::uint32_t c) const {
    std::vector<Term> terms = {
        tensor_reference::decode(test.to_f16 ? tensor_reference::f16 : tensor_reference::f32, c)};
    for (int k = 0; k < test.terms(); ++k)
      terms.push_back(tensor_reference::times(a[row][static_cast<std::size_t>(k)],
                                              b[column][static_cast<std::size_t>(k)]));
    const double sum = tensor_reference::aligned_sum(terms, 25);
    return test.to_f16 ? tensor_reference::to_f16(sum) : tensor_reference::to_f32(sum);
  }
};

std::string products(const Case& test) {
  const std::uint32_t descriptor = (test.to_f16 ? 0u : 1u) << 4 | test.a_code << 7 |
                                   test.b_code << 10 | columns / 8u << 17 | rows / 16u << 24;
  // Leading offset 2048, stride 128, version 1.
  std::string body = R"(
shr.u32 %m0, %tiles, 4;
cvt.u64.u32 %q0, %m0;
or.b64 %q0, %q0, 0x0000400800800000;
)";
  for (int i = 0; i < at_once; ++i) {
    const std::string number = std::to_string(i);
    body += "add.u64 %q1, %q0, 256;\nadd.u32 %m1, %base, " + std::to_string(64 * i) +
            ";\ntcgen05.mma.cta_group::1.kind::" + std::string(test.kind) + " [%m1], %q0, %q1, " +
            std::to_string(descriptor) + ", %yes;\nadd.u64 %q0, %q0, 512;\n";
  }
  return body;
}

class TensorSums : public testing::TestWithParam<Case> {};

TEST_P(TensorSums, AreThoseOfThePlainRule) {
  const Case& test = GetParam();
  std::mt19937 random(20251118);
  constexpr auto count = static_cast<int>(std::size(spreads));
  static_assert(count % at_once == 0);
  const Element& result = test.to_f16 ? tensor_reference::f16 : tensor_reference::f32;
  for (int batch = 0; batch < count; batch += at_once) {
    tensor_rig::Rig rig;
    rig.shared[0].resize(static_cast<std::size_t>(rig.shared_bytes));
    Operands operands[at_once];
    for (int i = 0; i < at_once; ++i) {
      const Spread spread = spreads[batch + i];
      operands[i].fill(test, spread, rig.shared[0].data() + 2 * tile_bytes * i, random);
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
          // The sum's own negative cancels, in a row's other half but for one unit.
          std::uint32_t c = 0;
          const std::uint32_t sign = 1u << (result.bits - 1);
          if (row % 4 == 0) c = draw(result, Spread::any_bits, random);
          if (row % 4 == 1) c = draw(result, spread, random);
          if (row % 4 == 2) c = (operands[i].sum(test, row, column, 0) ^ sign) ^ column % 2u;
          if (row % 8 == 3) c = draw(result, Spread::ordinary, random);
          tensor_rig::cell(rig.tensor[0], lane_of(row), 64 * i + column) = c;
        }
    }
    rig.body = products(test);
    auto cells = tensor_rig::run(rig, {{.order = sim::Order::latest, .host_threads = 1}});
    for (int i = 0; i < at_once; ++i)
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
          const int at = 64 * i + column;
          const std::uint32_t c = tensor_rig::cell(rig.tensor[0], lane_of(row), at);
          ASSERT_EQ(tensor_rig::cell(cells[0], lane_of(row), at),
                    operands[i].sum(test, row, column, c))
              << "spread " << static_cast<int>(spreads[batch + i]) << " row " << row << " column "
              << column << " c " << std::hex << c;
        }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Types, TensorSums,
    testing::Values(
        Case{"f16", "f16", &tensor_reference::f16, &tensor_reference::f16, 0, 0},
        Case{"f16_to_f16", "f16", &tensor_reference::f16, &tensor_reference::f16, 0, 0, true},
        Case{"bf16", "f16", &tensor_reference::bf16, &tensor_reference::bf16, 1, 1},
        Case{"tf32", "tf32", &tensor_reference::tf32, &tensor_reference::tf32, 2, 2},
        Case{"fp8", "f8f6f4", &tensor_reference::e4m3, &tensor_reference::e5m2, 0, 1},
        Case{"fp8_to_f16", "f8f6f4", &tensor_reference::e5m2, &tensor_reference::e4m3, 1, 0, true}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
