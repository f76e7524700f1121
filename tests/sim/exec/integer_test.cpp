// Integer arithmetic against exact numbers, on all lanes and on some.
#include <gtest/gtest.h>

#include <functional>

#include "tests/sim/exec/lane_probe.hpp"

using namespace aisp;

namespace {

using probe::Exact;
using probe::number;
using probe::Numbers;
using probe::Probe;
using probe::truncated;
using probe::Unsigned;

constexpr int rounds = 40;
constexpr sim::Mask some_lanes = 0x8421c3a5;

struct Width {
  std::string name;
  int bits;
  bool is_signed;
};
const std::vector<Width> plain = {{"u16", 16, false}, {"s16", 16, true},  {"u32", 32, false},
                                  {"s32", 32, true},  {"u64", 64, false}, {"s64", 64, true}};

std::string reg(int bits, int index) {
  const char* prefix = bits == 16 ? "%h" : bits == 32 ? "%r" : "%d";
  return prefix + std::to_string(index);
}

using Reference = std::function<Exact(const std::vector<Exact>&)>;

struct Instruction {
  std::string name;  // "mad.lo.s32"
  int result_bits;
  std::vector<Width> sources;
  int architecture = 80;
};

void expect_exact(const Instruction& instruction, const Reference& reference) {
  SCOPED_TRACE(instruction.name);
  std::string text = instruction.name + " " + reg(instruction.result_bits, 0);
  for (std::size_t i = 0; i < instruction.sources.size(); ++i) {
    text += ", " + reg(instruction.sources[i].bits, static_cast<int>(i) + 1);
  }
  Probe probe(text + ";", instruction.architecture);
  const sim::Op& op = probe.op();
  const sim::Ref sources[] = {op.a, op.b, op.c, op.d};
  Numbers numbers;
  for (int round = 0; round < rounds; ++round) {
    const sim::Mask mask = round % 2 == 0 ? sim::all_lanes : some_lanes;
    std::vector<std::vector<Exact>> in(sim::lanes);
    for (int lane = 0; lane < sim::lanes; ++lane) {
      for (std::size_t i = 0; i < instruction.sources.size(); ++i) {
        const Width& width = instruction.sources[i];
        const std::uint64_t raw = numbers.next();
        probe.put(sources[i], width.bits, lane, raw);
        in[static_cast<std::size_t>(lane)].push_back(number(raw, width.bits, width.is_signed));
      }
      probe.put(op.dst, instruction.result_bits, lane, 0x5a5a);
    }
    probe.run(mask);
    for (int lane = 0; lane < sim::lanes; ++lane) {
      const std::uint64_t expected =
          mask >> lane & 1
              ? truncated(reference(in[static_cast<std::size_t>(lane)]), instruction.result_bits)
              : 0x5a5a;
      ASSERT_EQ(probe.get(op.dst, instruction.result_bits, lane), expected)
          << "round " << round << " lane " << lane;
    }
  }
}

Exact clamp_s32(Exact value) {
  const Exact top = 0x7fffffff;
  return value > top ? top : value < -top - 1 ? -top - 1 : value;
}

Exact floor_shift(Exact value, int bits) { return value >> bits; }

TEST(IntegerArithmetic, SumsAndProductsWrap) {
  for (const Width& w : plain) {
    expect_exact({"add." + w.name, w.bits, {w, w}}, [](const auto& x) { return x[0] + x[1]; });
    expect_exact({"sub." + w.name, w.bits, {w, w}}, [](const auto& x) { return x[0] - x[1]; });
    expect_exact({"mul.lo." + w.name, w.bits, {w, w}}, [](const auto& x) {
      return static_cast<Exact>(static_cast<Unsigned>(x[0]) * static_cast<Unsigned>(x[1]));
    });
    expect_exact({"mad.lo." + w.name, w.bits, {w, w, w}}, [](const auto& x) {
      return static_cast<Exact>(static_cast<Unsigned>(x[0]) * static_cast<Unsigned>(x[1]) +
                                static_cast<Unsigned>(x[2]));
    });
    expect_exact({"sad." + w.name, w.bits, {w, w, w}},
                 [](const auto& x) { return x[2] + (x[0] < x[1] ? x[1] - x[0] : x[0] - x[1]); });
  }
}

TEST(IntegerArithmetic, HighHalvesOfProducts) {
  for (const Width& w : plain) {
    const auto high = [w](Exact a, Exact b) {
      if (w.is_signed) return floor_shift(a * b, w.bits);
      return static_cast<Exact>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b) >> w.bits);
    };
    expect_exact({"mul.hi." + w.name, w.bits, {w, w}},
                 [=](const auto& x) { return high(x[0], x[1]); });
    expect_exact({"mad.hi." + w.name, w.bits, {w, w, w}},
                 [=](const auto& x) { return high(x[0], x[1]) + x[2]; });
    if (w.bits == 64) continue;
    const Width twice{"", 2 * w.bits, w.is_signed};
    expect_exact({"mul.wide." + w.name, 2 * w.bits, {w, w}},
                 [](const auto& x) { return x[0] * x[1]; });
    expect_exact({"mad.wide." + w.name, 2 * w.bits, {w, w, twice}},
                 [](const auto& x) { return x[0] * x[1] + x[2]; });
  }
}

TEST(IntegerArithmetic, SaturatesAtTheEndsOfS32) {
  const Width s32{"s32", 32, true};
  expect_exact({"add.sat.s32", 32, {s32, s32}},
               [](const auto& x) { return clamp_s32(x[0] + x[1]); });
  expect_exact({"sub.sat.s32", 32, {s32, s32}},
               [](const auto& x) { return clamp_s32(x[0] - x[1]); });
  expect_exact({"mad.hi.sat.s32", 32, {s32, s32, s32}},
               [](const auto& x) { return clamp_s32(floor_shift(x[0] * x[1], 32) + x[2]); });
}

TEST(IntegerArithmetic, ProductsOf24Bits) {
  for (const bool is_signed : {false, true}) {
    const Width w{is_signed ? "s32" : "u32", 32, is_signed};
    const auto low24 = [=](Exact x) {
      return number(static_cast<std::uint64_t>(x), 24, is_signed);
    };
    const auto product = [=](const auto& x) { return low24(x[0]) * low24(x[1]); };
    expect_exact({"mul24.lo." + w.name, 32, {w, w}}, product);
    expect_exact({"mul24.hi." + w.name, 32, {w, w}},
                 [=](const auto& x) { return floor_shift(product(x), 16); });
    expect_exact({"mad24.lo." + w.name, 32, {w, w, w}},
                 [=](const auto& x) { return product(x) + x[2]; });
    expect_exact({"mad24.hi." + w.name, 32, {w, w, w}},
                 [=](const auto& x) { return floor_shift(product(x), 16) + x[2]; });
  }
}

TEST(IntegerArithmetic, DivisionTruncatesAndByZeroGivesAllOnes) {
  for (const Width& w : plain) {
    expect_exact({"div." + w.name, w.bits, {w, w}},
                 [](const auto& x) { return x[1] == 0 ? Exact{-1} : x[0] / x[1]; });
    expect_exact({"rem." + w.name, w.bits, {w, w}},
                 [](const auto& x) { return x[1] == 0 ? Exact{-1} : x[0] % x[1]; });
  }
}

TEST(IntegerArithmetic, SignsAndExtremes) {
  for (const Width& w : plain) {
    expect_exact({"min." + w.name, w.bits, {w, w}},
                 [](const auto& x) { return x[0] < x[1] ? x[0] : x[1]; });
    expect_exact({"max." + w.name, w.bits, {w, w}},
                 [](const auto& x) { return x[0] < x[1] ? x[1] : x[0]; });
    if (!w.is_signed) continue;
    expect_exact({"neg." + w.name, w.bits, {w}}, [](const auto& x) { return -x[0]; });
    expect_exact({"abs." + w.name, w.bits, {w}},
                 [](const auto& x) { return x[0] < 0 ? -x[0] : x[0]; });
  }
  const Width s32{"s32", 32, true};
  expect_exact({"min.relu.s32", 32, {s32, s32}, 90}, [](const auto& x) {
    const Exact least = x[0] < x[1] ? x[0] : x[1];
    return least < 0 ? Exact{0} : least;
  });
}

// Two 16-bit results of one word.
Exact halves(const std::vector<Exact>& x, bool is_signed,
             const std::function<Exact(Exact, Exact)>& f) {
  std::uint64_t word = 0;
  for (int half = 0; half < 2; ++half) {
    const auto part = [&](Exact value) {
      return number(static_cast<std::uint64_t>(value) >> (16 * half), 16, is_signed);
    };
    word |= truncated(f(part(x[0]), part(x[1])), 16) << (16 * half);
  }
  return word;
}

TEST(IntegerArithmetic, PackedHalvesDoNotTouchEachOther) {
  const Width word{"", 32, false};
  const auto least = [](Exact a, Exact b) { return a < b ? a : b; };
  const auto most = [](Exact a, Exact b) { return a < b ? b : a; };
  for (const bool is_signed : {false, true}) {
    const std::string type = is_signed ? "s16x2" : "u16x2";
    expect_exact({"add." + type, 32, {word, word}, 90}, [=](const auto& x) {
      return halves(x, is_signed, [](Exact a, Exact b) { return a + b; });
    });
    expect_exact({"min." + type, 32, {word, word}, 90},
                 [=](const auto& x) { return halves(x, is_signed, least); });
    expect_exact({"max." + type, 32, {word, word}, 90},
                 [=](const auto& x) { return halves(x, is_signed, most); });
  }
  expect_exact({"max.relu.s16x2", 32, {word, word}, 90}, [=](const auto& x) {
    return halves(x, true, [=](Exact a, Exact b) { return most(most(a, b), 0); });
  });
}

// A chain of two words computes what one number twice as wide does.
void expect_chain(const std::string& first, const std::string& second, int bits, bool is_product,
                  const std::function<Unsigned(Unsigned, Unsigned, Unsigned)>& reference) {
  SCOPED_TRACE(first + " " + second);
  const auto r = [&](int index) { return reg(bits, index); };
  const std::string third = is_product ? ", " + r(6) : "", fourth = is_product ? ", " + r(7) : "";
  const std::string low = r(2) + ", " + r(4), high = is_product ? low : r(3) + ", " + r(5);
  Probe probe(first + " " + r(0) + ", " + low + third + ";\n" + second + " " + r(1) + ", " + high +
              fourth + ";");
  const sim::Op &one = probe.op(0), &two = probe.op(1);
  Numbers numbers;
  for (int round = 0; round < rounds; ++round) {
    std::uint64_t a[sim::lanes][2], b[sim::lanes][2], c[sim::lanes][2];
    for (int lane = 0; lane < sim::lanes; ++lane) {
      for (int half = 0; half < 2; ++half) {
        a[lane][half] = truncated(numbers.next(), bits);
        b[lane][half] = truncated(numbers.next(), bits);
        c[lane][half] = truncated(numbers.next(), bits);
      }
      if (is_product) a[lane][1] = b[lane][1] = 0;
      probe.put(one.a, bits, lane, a[lane][0]);
      probe.put(one.b, bits, lane, b[lane][0]);
      if (is_product) {
        probe.put(one.c, bits, lane, c[lane][0]);
        probe.put(two.c, bits, lane, c[lane][1]);
      } else {
        probe.put(two.a, bits, lane, a[lane][1]);
        probe.put(two.b, bits, lane, b[lane][1]);
      }
    }
    probe.run(sim::all_lanes, 0);
    // The first result is dead behind its instruction: its slot may be taken by the second.
    std::uint64_t low_word[sim::lanes];
    for (int lane = 0; lane < sim::lanes; ++lane) low_word[lane] = probe.get(one.dst, bits, lane);
    probe.run(sim::all_lanes, 1);
    for (int lane = 0; lane < sim::lanes; ++lane) {
      const auto join = [&](const std::uint64_t(&x)[2]) { return Unsigned{x[1]} << bits | x[0]; };
      const Unsigned expected = reference(join(a[lane]), join(b[lane]), join(c[lane]));
      ASSERT_EQ(low_word[lane], truncated(static_cast<Exact>(expected), bits));
      ASSERT_EQ(probe.get(two.dst, bits, lane),
                truncated(static_cast<Exact>(expected >> bits), bits));
    }
  }
}

TEST(ExtendedPrecision, TwoWordsAreOneNumber) {
  for (const int bits : {32, 64}) {
    const std::string type = ".u" + std::to_string(bits);
    const auto sum = [](Unsigned a, Unsigned b, Unsigned) { return a + b; };
    const auto difference = [](Unsigned a, Unsigned b, Unsigned) { return a - b; };
    const auto product = [](Unsigned a, Unsigned b, Unsigned c) { return a * b + c; };
    expect_chain("add.cc" + type, "addc" + type, bits, false, sum);
    expect_chain("add.cc" + type, "addc.cc" + type, bits, false, sum);
    expect_chain("sub.cc" + type, "subc" + type, bits, false, difference);
    expect_chain("mad.lo.cc" + type, "madc.hi" + type, bits, true, product);
  }
}

TEST(IntegerArithmetic, WhatPtxDoesNotHaveIsRefused) {
  for (const char* text :
       {"add.b32 %r0, %r1, %r2;", "add.sat.u32 %r0, %r1, %r2;", "mul.s32 %r0, %r1, %r2;",
        "mul.wide.u64 %d0, %d1, %d2;", "mad.lo.sat.s32 %r0, %r1, %r2, %r3;",
        "mad.wide.cc.u32 %d0, %r1, %r2, %d3;", "abs.u32 %r0, %r1;", "neg.u32 %r0, %r1;",
        "sub.s16x2 %r0, %r1, %r2;", "max.relu.u32 %r0, %r1, %r2;", "min.b32 %r0, %r1, %r2;",
        "add.u32 %r0, %r1;", "add.u32 %r0, %r1, %d2;", "add.u32 _, %r1, %r2;",
        "div.lo.u32 %r0, %r1, %r2;", "vadd.s32.s32.s32 %r0, %r1, %r2;"}) {
    EXPECT_THROW(probe::program_of(text), sim::ptx::Refused) << text;
  }
  EXPECT_THROW(probe::program_of("add.u16x2 %r0, %r1, %r2;", 80), sim::ptx::Refused);
  EXPECT_THROW(probe::program_of("max.relu.s32 %r0, %r1, %r2;", 80), sim::ptx::Refused);
}

}  // namespace
