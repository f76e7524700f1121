// One tcgen05.mma on random operands: images of shared and tensor memory for it, and what D must be
// afterwards, from a second statement of layouts and arithmetic.
#pragma once

#include <random>

#include "tests/sim/support/tensor_reference.hpp"
#include "tests/sim/support/tensor_rig.hpp"

namespace aisp::tensor_case {

namespace reference = tensor_reference;
using reference::Element;
using tensor_rig::cell;
using tensor_rig::Cells;

enum class Layout { none, s32, s64, s128, atoms32 };
enum class Store { bytes, padded, nibbles };  // of elements below 8 bits in shared memory

struct Case {
  std::string name;
  std::string kind = "f16";
  const Element* a = &reference::f16;
  const Element* b = &reference::f16;
  std::uint32_t a_code = 0, b_code = 0;  // types in the instruction descriptor
  int m = 128, n = 64, k = 16;
  bool d_f16 = false, integers = false, accumulate = true;
  bool pair = false, ws = false;
  Layout a_layout = Layout::none, b_layout = Layout::none;
  bool a_mn = false, b_mn = false;
  bool a_in_tensor = false;
  int lane = 0;            // of D
  std::uint32_t more = 0;  // further bits of the instruction descriptor
  int scales = 0;          // of one k: 1, 2, 4
  bool powers = true;      // ue8m0
  int a_id = 0, b_id = 0;
  std::string words;  // behind the kind
  std::string last;   // operands behind enable-input-d
  std::uint64_t zero_columns = 0;
  int scale_d = 0;
  bool disable_lanes = false, sparse = false;
  int selector = 0;  // of the metadata
  int bits = 25;
};

inline constexpr int a_at = 0, b_at = 32768, d_column = 0, a_column = 256, sa_column = 300,
                     sb_column = 320, meta_column = 340;

inline bool has_fours(const Case& test) { return test.kind == "mxf4" || test.kind == "mxf4nvf4"; }

inline int element_bits(const Case& test, const Element& type) {
  if (type.bits >= 8) return type.bits;
  return has_fours(test) ? 4 : 8;  // padded: 16 in 16 bytes
}

// Of the accumulator with .ws: parts of N, each with a copy of the metadata of its own, which the
// tests make different.
inline int pieces_of(const Case& test) { return test.ws ? 128 / test.m : 1; }
inline int metadata_row(const Case& test, int row, int column) {
  return row + test.m * (column * pieces_of(test) / test.n);
}

// A nibble of metadata is of four elements along k, of tf32 of two, of 4-bit kinds of four pairs.
inline int nibbles_of(const Case& test) {
  return test.k / (test.a == &reference::tf32 ? 2 : has_fours(test) ? 8 : 4);
}

// Bytes of the operands' descriptors: leading and stride offsets.
struct Offsets {
  std::uint32_t leading, stride, swizzle;
};
inline Offsets offsets(const Case& test, Layout layout, bool mn, int rows) {
  const auto width = layout == Layout::s32 ? 32u : layout == Layout::s64 ? 64u : 128u;
  const auto all = static_cast<std::uint32_t>(rows);
  if (layout == Layout::none) {
    // K-major: eight rows are 128 bytes; MN-major: eight k are.
    const std::uint32_t groups = mn ? static_cast<std::uint32_t>(test.k) / 8 : all / 8;
    return mn ? Offsets{128, 128 * groups, 0} : Offsets{128 * groups, 128, 0};
  }
  const std::uint32_t code = layout == Layout::s128  ? 2
                             : layout == Layout::s64 ? 4
                             : layout == Layout::s32 ? 6
                                                     : 1;
  const std::uint32_t group = (layout == Layout::atoms32 ? 4 : 8) * width;
  const auto k = static_cast<std::uint32_t>(test.k);
  return mn ? Offsets{group * std::max(1u, k / (layout == Layout::atoms32 ? 4 : 8)), group, code}
            : Offsets{16, group, code};
}

// Where an element of a row of M or N begins, in bits from the start of the matrix.
inline std::size_t bit_of(const Case& test, const Element& type, Layout layout, bool mn, int rows,
                          int row, int k) {
  const Offsets o = offsets(test, layout, mn, rows);
  const int bits = element_bits(test, type);
  const int width = layout == Layout::none  ? 16
                    : layout == Layout::s32 ? 32
                    : layout == Layout::s64 ? 64
                                            : 128;
  const int along = (mn ? row : k) * bits / 8, other = mn ? k : row;
  const int per = layout == Layout::atoms32 ? 4 : 8;
  std::uint32_t byte = 0;
  if (layout == Layout::none && mn)
    byte = static_cast<std::uint32_t>(other % 8 * 16 + along % 16) + other / 8 * o.leading +
           along / 16 * o.stride;
  else if (layout == Layout::none)
    byte = static_cast<std::uint32_t>(other % 8 * 16 + along % 16) + other / 8 * o.stride +
           along / 16 * o.leading;
  else
    byte = static_cast<std::uint32_t>(other % per * width + along % width) +
           other / per * o.stride + along / width * (mn ? o.leading : 0);
  if (layout == Layout::s128) byte ^= (byte >> 7 & 7) << 4;
  if (layout == Layout::s64) byte ^= (byte >> 7 & 3) << 4;
  if (layout == Layout::s32) byte ^= (byte >> 7 & 1) << 4;
  if (layout == Layout::atoms32) byte ^= (byte >> 7 & 3) << 5;
  const int inside = (mn ? row : k) * bits % 8;
  if (bits == 8 && type.bits < 8) {  // sixteen elements packed at the start of 16 bytes
    const int at = (mn ? row : k) % 16;
    return (byte & ~15u) * std::size_t{8} + static_cast<std::size_t>(at * type.bits);
  }
  return byte * std::size_t{8} + static_cast<std::size_t>(inside);
}

inline void put_bits(tensor_rig::Bytes& bytes, std::size_t bit, int count, std::uint32_t value) {
  for (int i = 0; i < count; ++i) {
    const std::size_t at = bit + static_cast<std::size_t>(i);
    bytes[at / 8] =
        static_cast<std::uint8_t>((bytes[at / 8] & ~(1u << at % 8)) | (value >> i & 1) << at % 8);
  }
}

// Finite numbers near 1, some zero.
inline std::uint32_t random_code(std::mt19937& random, const Element& type, bool integers) {
  if (integers || type.bits < 8)
    return static_cast<std::uint32_t>(random()) & ((1u << type.bits) - 1);
  if (random() % 16 == 0) return 0;
  const int fraction = &type == &reference::tf32 ? 23 : type.fraction_bits();
  const int bias = (1 << (type.exponent_bits - 1)) - 1;
  const auto field =
      static_cast<std::uint32_t>(std::max(0, bias - 3 + static_cast<int>(random() % 6)));
  return (random() & 1u) << (type.bits - 1) | field << fraction |
         (static_cast<std::uint32_t>(random()) & ((1u << fraction) - 1));
}

struct Operands {
  std::vector<std::uint32_t> a, b, c;  // m x k, n x k, m x n
  std::vector<std::uint8_t> sa, sb;    // scales: m x count, n x count
  std::vector<int> kept;               // sparse: m x k / 2 of every piece, which k is stored
  std::vector<std::uint8_t> nibbles;   // the metadata of it, row by row
};

inline std::uint32_t a_of(const Case& test, const Operands& in, int row, int k) {
  const int stored = test.sparse ? test.k / 2 : test.k;
  return in.a[static_cast<std::size_t>(row * stored + k)];
}

inline reference::Term scale_of(const Case& test, std::uint8_t code) {
  if (test.powers) return {1, code - 127};  // value / 2^exponent, and the exponent
  const int field = code >> 3 & 15, fraction = code & 7;
  return {(fraction + (field != 0 ? 8 : 0)) / 8.0, std::max(field, 1) - 7};
}

inline double integer_of(const Case& test, std::uint32_t code, bool is_b) {
  const bool is_signed = (is_b ? test.b_code : test.a_code) == 1;
  return is_signed ? static_cast<double>(static_cast<std::int8_t>(code))
                   : static_cast<double>(code);
}

// Element (row, column) of D.
inline std::uint32_t expected(const Case& test, const Operands& in, int row, int column,
                              bool zero_b) {
  const std::uint32_t old = in.c[static_cast<std::size_t>(row * test.n + column)];
  const int stored = test.sparse ? test.k / 2 : test.k;
  const auto b_of = [&](int i) {
    const int at = metadata_row(test, row, column) * stored + i;
    const int k = test.sparse ? in.kept[static_cast<std::size_t>(at)] : i;
    return zero_b ? 0u : in.b[static_cast<std::size_t>(column * test.k + k)];
  };
  if (test.integers) {
    double sum = test.accumulate ? static_cast<double>(static_cast<std::int32_t>(old)) : 0;
    for (int i = 0; i < stored; ++i)
      sum += integer_of(test, a_of(test, in, row, i), false) * integer_of(test, b_of(i), true);
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(sum));
  }
  const double sign = (test.more >> 13 & 1) != (test.more >> 14 & 1) ? -1 : 1;
  std::vector<reference::Term> terms;
  if (test.accumulate) {
    reference::Term c = reference::decode(test.d_f16 ? reference::f16 : reference::f32, old);
    terms.push_back({std::ldexp(c.value, -test.scale_d), c.exponent - test.scale_d});
  }
  const auto scale = [&](int group, bool is_b) {
    const auto& codes = is_b ? in.sb : in.sa;
    return scale_of(test,
                    codes[static_cast<std::size_t>((is_b ? column : row) * test.scales + group)]);
  };
  double dot = 0;
  for (int i = 0; i < stored; ++i) {
    const reference::Term x = reference::decode(*test.a, a_of(test, in, row, i)),
                          y = reference::decode(*test.b, b_of(i));
    if (test.scales > 1) {  // e2m1: sums of 16 are exact
      dot += x.value * y.value * sign;
      if (i % 16 != 15) continue;
      const auto p = scale(i * test.scales / stored, false),
                 q = scale(i * test.scales / stored, true);
      const int exponent = p.exponent + q.exponent;
      terms.push_back({std::ldexp(dot * p.value * q.value, exponent), exponent});
      dot = 0;
    } else {
      const int power = test.scales == 1 ? scale(0, false).exponent + scale(0, true).exponent : 0;
      reference::Term term = reference::times(x, y, power);
      term.value *= sign;
      terms.push_back(term);
    }
  }
  const double sum = reference::aligned_sum(terms, test.bits);
  return test.d_f16 ? reference::to_f16(sum) : reference::to_f32(sum);
}

struct Place {
  int block, lane, column;
};
// The table of the PTX ISA's layouts.
inline Place place_of(const Case& test, int row, int column) {
  const int half = test.n / 2;
  if (test.pair && test.m == 256) return {row / 128, row % 128, column};
  if (test.pair && test.sparse)
    return {row / 64, 32 * (row % 64 / 16) + row % 16 + test.lane, column};
  if (test.pair) return {row / 64, row % 64 + (column >= half ? 64 : 0), column % half};
  if (test.m == 128) return {0, row, column};
  if (!test.ws) return {0, 32 * (row / 16) + row % 16 + test.lane, column};
  if (test.m == 64) return {0, row + (column >= half ? 64 : 0), column % half};
  return {0, row + 32 * (column / (test.n / 4)), column % (test.n / 4)};
}

// Every code that the PTX ISA calls meaningful, 0b0110 with the two positions in falling order too.
inline void make_metadata(const Case& test, std::mt19937& random, Operands& in) {
  constexpr std::uint8_t legal[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0x6, 0xe};
  for (int i = 0; i < test.m * pieces_of(test) * nibbles_of(test); ++i) {
    const int group = i % nibbles_of(test);
    if (test.a == &reference::tf32) {
      const bool second = random() % 2 != 0;
      in.nibbles.push_back(second ? 0xe : 0x4);
      in.kept.push_back(2 * group + second);
      continue;
    }
    const std::uint8_t code = legal[random() % 7];
    in.nibbles.push_back(code);
    for (const int position : {code & 3, code >> 2})
      if (has_fours(test))
        for (const int of_pair : {0, 1}) in.kept.push_back(8 * group + 2 * position + of_pair);
      else
        in.kept.push_back(4 * group + position);
  }
}

inline Operands make_operands(const Case& test, std::mt19937& random) {
  Operands in;
  const int stored = test.sparse ? test.k / 2 : test.k;
  for (int i = 0; i < test.m * stored; ++i)
    in.a.push_back(random_code(random, *test.a, test.integers));
  for (int i = 0; i < test.n * test.k; ++i)
    in.b.push_back(random_code(random, *test.b, test.integers));
  for (int i = 0; i < test.m * test.n; ++i)
    in.c.push_back(test.integers
                       ? static_cast<std::uint32_t>(random())
                       : random_code(random, test.d_f16 ? reference::f16 : reference::f32, false));
  const auto scale = [&] {
    return static_cast<std::uint8_t>(test.powers ? 120 + random() % 12 : random() % 0x7f);
  };
  for (int i = 0; i < test.m * test.scales; ++i) in.sa.push_back(scale());
  for (int i = 0; i < test.n * test.scales; ++i) in.sb.push_back(scale());
  if (test.sparse) make_metadata(test, random, in);
  return in;
}

inline std::uint32_t instruction_descriptor(const Case& test) {
  std::uint32_t bits = test.a_code << 7 | test.b_code << 10 |
                       static_cast<std::uint32_t>(test.n / 8) << 17 |
                       static_cast<std::uint32_t>(test.a_mn) << 15 |
                       static_cast<std::uint32_t>(test.b_mn) << 16 | test.more;
  if (test.sparse) bits |= 1u << 2 | static_cast<std::uint32_t>(test.selector);
  if (test.scales != 0)
    return bits | static_cast<std::uint32_t>(test.powers) << 23 |
           static_cast<std::uint32_t>(test.m / 128) << 27 |
           static_cast<std::uint32_t>(test.b_id) << 4 | static_cast<std::uint32_t>(test.a_id) << 29;
  return bits |
         (test.integers ? 2u
          : test.d_f16  ? 0u
                        : 1u)
             << 4 |
         static_cast<std::uint32_t>(test.m / 16) << 24;
}

inline std::uint64_t matrix_descriptor(const Case& test, bool is_b) {
  const auto o = offsets(test, is_b ? test.b_layout : test.a_layout, is_b ? test.b_mn : test.a_mn,
                         (is_b ? test.n : test.m) / (test.pair ? 2 : 1));
  return std::uint64_t{o.leading >> 4} << 16 | std::uint64_t{o.stride >> 4} << 32 |
         std::uint64_t{1} << 46 | std::uint64_t{o.swizzle} << 61;
}

// The instruction and what it needs in registers.
inline std::string instruction(const Case& test) {
  std::string text = "shr.u32 %m0, %tiles, 4;\ncvt.u64.u32 %q0, %m0;\n";
  text += "or.b64 %q1, %q0, " + std::to_string(matrix_descriptor(test, false)) + ";\n";
  text += "add.u64 %q2, %q0, " + std::to_string(b_at / 16) + ";\n";
  text += "or.b64 %q2, %q2, " + std::to_string(matrix_descriptor(test, true)) + ";\n";
  text += "add.u32 %m1, %base, " + std::to_string(test.lane << 16 | d_column) + ";\n";
  text += "add.u32 %m2, %base, " + std::to_string(test.lane << 16 | a_column) + ";\n";
  text += "mov.b64 %q3, " + std::to_string(test.zero_columns) + ";\n";
  for (int i = 0; i < 4; ++i)
    text += "mov.u32 %m" + std::to_string(3 + i) + ", " + std::to_string(0x01020304u << i) + ";\n";
  const std::string lanes_off =
      test.pair ? "{%m3, %m4, %m5, %m6, %m6, %m5, %m4, %m3}, " : "{%m3, %m4, %m5, %m6}, ";
  text += "tcgen05.mma" + std::string(test.ws ? ".ws" : "") + (test.sparse ? ".sp" : "") +
          (test.pair ? ".cta_group::2" : ".cta_group::1") + ".kind::" + test.kind + test.words +
          " [%m1], " + (test.a_in_tensor ? "[%m2]" : "%q1") + ", %q2, " +
          (test.sparse ? "[%base+" + std::to_string(test.lane << 16 | meta_column) + "], " : "") +
          std::to_string(instruction_descriptor(test)) + ", " +
          (test.scales != 0 ? "[%base+" + std::to_string(sa_column) + "], [%base+" +
                                  std::to_string(sb_column) + "], "
                            : "") +
          (test.disable_lanes ? lanes_off : "") + (test.accumulate ? "%yes" : "%no") + test.last +
          ";\n";
  return text;
}

}  // namespace aisp::tensor_case
