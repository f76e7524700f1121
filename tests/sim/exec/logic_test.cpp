// Logic, shifts and bit fields against references that go bit by bit.
#include <gtest/gtest.h>

#include <functional>

#include "tests/sim/exec/lane_probe.hpp"

using namespace aisp;

namespace {

using probe::number;
using probe::Numbers;
using probe::Probe;
using probe::truncated;
using Bits = std::uint64_t;

std::string reg(int bits, int index) {
  const char* prefix = bits == 16 ? "%h" : bits == 32 ? "%r" : "%d";
  return prefix + std::to_string(index);
}

// Widths of the result and the sources; `amounts` marks sources that are better small.
struct Shape {
  int result;
  std::vector<int> sources;
  std::vector<bool> amounts;
};

void expect_bits(const std::string& name, const Shape& shape,
                 const std::function<Bits(const std::vector<Bits>&)>& reference,
                 const std::string& more = "") {
  SCOPED_TRACE(name + more);
  std::string text = name + " " + reg(shape.result, 0);
  for (std::size_t i = 0; i < shape.sources.size(); ++i) {
    text += ", " + reg(shape.sources[i], static_cast<int>(i) + 1);
  }
  Probe probe(text + more + ";");
  const sim::Op& op = probe.op();
  const sim::Ref refs[] = {op.a, op.b, op.c, op.d};
  Numbers numbers;
  for (int round = 0; round < 60; ++round) {
    const sim::Mask mask = round % 2 == 0 ? sim::all_lanes : 0x0ff0f103;
    std::vector<Bits> in[sim::lanes];
    for (int lane = 0; lane < sim::lanes; ++lane) {
      for (std::size_t i = 0; i < shape.sources.size(); ++i) {
        Bits value = numbers.next();
        const bool amount = i < shape.amounts.size() && shape.amounts[i];
        if (amount && round % 4 != 0) value %= 70;
        value = truncated(value, shape.sources[i]);
        probe.put(refs[i], shape.sources[i], lane, value);
        in[lane].push_back(value);
      }
      probe.put(op.dst, shape.result, lane, 0x1234);
    }
    probe.run(mask);
    for (int lane = 0; lane < sim::lanes; ++lane) {
      const Bits expected =
          mask >> lane & 1 ? truncated(reference(in[lane]), shape.result) : Bits{0x1234};
      ASSERT_EQ(probe.get(op.dst, shape.result, lane), expected) << "lane " << lane;
    }
  }
}

bool bit(Bits value, Bits at) { return at < 64 && (value >> at & 1) != 0; }

TEST(Logic, BitByBit) {
  for (const int bits : {16, 32, 64}) {
    const std::string type = ".b" + std::to_string(bits);
    expect_bits("and" + type, {bits, {bits, bits}, {}}, [](const auto& x) { return x[0] & x[1]; });
    expect_bits("or" + type, {bits, {bits, bits}, {}}, [](const auto& x) { return x[0] | x[1]; });
    expect_bits("xor" + type, {bits, {bits, bits}, {}}, [](const auto& x) { return x[0] ^ x[1]; });
    expect_bits("not" + type, {bits, {bits}, {}}, [](const auto& x) { return ~x[0]; });
    expect_bits("cnot" + type, {bits, {bits}, {}}, [](const auto& x) { return x[0] == 0; });
  }
}

TEST(Logic, EveryTableOfLop3) {
  for (int table = 0; table < 256; ++table) {
    expect_bits(
        "lop3.b32", {32, {32, 32, 32}, {}},
        [=](const auto& x) {
          Bits result = 0;
          for (Bits at = 0; at < 32; ++at) {
            const int row = 4 * bit(x[0], at) + 2 * bit(x[1], at) + bit(x[2], at);
            result |= Bits{bit(static_cast<Bits>(table), static_cast<Bits>(row))} << at;
          }
          return result;
        },
        ", " + std::to_string(table));
  }
}

TEST(Logic, ShiftsClampTheAmount) {
  for (const int bits : {16, 32, 64}) {
    const Shape shape{bits, {bits, 32}, {false, true}};
    const auto width = static_cast<Bits>(bits);
    expect_bits("shl.b" + std::to_string(bits), shape,
                [=](const auto& x) { return x[1] >= width ? 0 : x[0] << x[1]; });
    for (const char* kind : {"b", "u", "s"}) {
      const bool is_signed = *kind == 's';
      expect_bits("shr." + (kind + std::to_string(bits)), shape, [=](const auto& x) {
        Bits result = 0;
        for (Bits at = 0; at < width; ++at) {
          const Bits from = x[1] + at;
          const bool fill = is_signed && bit(x[0], width - 1);
          result |= Bits{from < width ? bit(x[0], from) : fill} << at;
        }
        return result;
      });
    }
  }
}

TEST(Logic, FunnelShifts) {
  const Shape shape{32, {32, 32, 32}, {false, false, true}};
  const auto joined = [](const auto& x) { return x[1] << 32 | x[0]; };
  const auto clamped = [](Bits amount) { return amount > 32 ? 32 : amount; };
  expect_bits("shf.l.wrap.b32", shape,
              [=](const auto& x) { return joined(x) << (x[2] & 31) >> 32; });
  expect_bits("shf.r.wrap.b32", shape, [=](const auto& x) { return joined(x) >> (x[2] & 31); });
  expect_bits("shf.l.clamp.b32", shape,
              [=](const auto& x) { return joined(x) << clamped(x[2]) >> 32; });
  expect_bits("shf.r.clamp.b32", shape, [=](const auto& x) { return joined(x) >> clamped(x[2]); });
}

TEST(Bits, CountingAndFinding) {
  for (const int bits : {32, 64}) {
    const auto width = static_cast<Bits>(bits);
    const std::string n = std::to_string(bits);
    const auto count = [](Bits x) {
      Bits sum = 0;
      for (; x != 0; x &= x - 1) ++sum;
      return sum;
    };
    const auto highest = [](Bits x) {
      Bits at = 0;
      for (; x > 1; x >>= 1) ++at;
      return at;
    };
    const auto find = [=](Bits x, bool is_signed) {
      if (is_signed && bit(x, width - 1)) x = truncated(~x, bits);
      return x == 0 ? ~Bits{0} : highest(x);
    };
    expect_bits("popc.b" + n, {32, {bits}, {}}, [=](const auto& x) { return count(x[0]); });
    expect_bits("clz.b" + n, {32, {bits}, {}},
                [=](const auto& x) { return x[0] == 0 ? width : width - 1 - highest(x[0]); });
    expect_bits("brev.b" + n, {bits, {bits}, {}}, [=](const auto& x) {
      Bits result = 0;
      for (Bits at = 0; at < width; ++at) result |= Bits{bit(x[0], at)} << (width - 1 - at);
      return result;
    });
    for (const bool is_signed : {false, true}) {
      const std::string type = (is_signed ? "s" : "u") + n;
      expect_bits("bfind." + type, {32, {bits}, {}},
                  [=](const auto& x) { return find(x[0], is_signed); });
      expect_bits("bfind.shiftamt." + type, {32, {bits}, {}}, [=](const auto& x) {
        const Bits at = find(x[0], is_signed);
        return at == ~Bits{0} ? at : width - 1 - at;
      });
    }
  }
}

TEST(Bits, Fields) {
  for (const int bits : {32, 64}) {
    const auto width = static_cast<Bits>(bits);
    for (const bool is_signed : {false, true}) {
      expect_bits((is_signed ? "bfe.s" : "bfe.u") + std::to_string(bits),
                  {bits, {bits, 32, 32}, {false, true, true}}, [=](const auto& x) {
                    const Bits kept = bits == 32 ? 0xff : 0xffffffff;  // of both operands
                    const Bits position = x[1] & kept, length = x[2] & kept;
                    if (length == 0) return Bits{0};
                    const Bits top = std::min(position + length - 1, width - 1);
                    const bool fill = is_signed && bit(x[0], top);
                    Bits result = 0;
                    for (Bits at = 0; at < width; ++at) {
                      const bool inside = at < length && position + at < width;
                      result |= Bits{inside ? bit(x[0], position + at) : fill} << at;
                    }
                    return result;
                  });
    }
    expect_bits("bfi.b" + std::to_string(bits),
                {bits, {bits, bits, 32, 32}, {false, false, true, true}}, [=](const auto& x) {
                  Bits result = x[1];
                  const Bits kept = bits == 32 ? 0xff : 0xffffffff;
                  const Bits position = x[2] & kept, length = x[3] & kept;
                  for (Bits at = 0; at < length && position + at < width; ++at) {
                    result &= ~(Bits{1} << (position + at));
                    result |= Bits{bit(x[0], at)} << (position + at);
                  }
                  return result;
                });
  }
}

TEST(Bits, MasksAndExtensions) {
  const Shape shape{32, {32, 32}, {false, true}}, both{32, {32, 32}, {true, true}};
  const auto amount = [](Bits value, bool wraps) {
    return wraps ? value & 31 : std::min<Bits>(value, 32);
  };
  for (const bool wraps : {false, true}) {
    const std::string mode = wraps ? ".wrap" : ".clamp";
    expect_bits("bmsk" + mode + ".b32", both, [=](const auto& x) {
      return ((Bits{1} << amount(x[1], wraps)) - 1) << amount(x[0], wraps);
    });
    for (const bool is_signed : {false, true}) {
      expect_bits("szext" + mode + (is_signed ? ".s32" : ".u32"), shape, [=](const auto& x) {
        const int kept = static_cast<int>(amount(x[1], wraps));
        return kept == 0 ? 0 : static_cast<Bits>(number(x[0], kept, is_signed));
      });
    }
  }
}

TEST(Bits, DotProducts) {
  const auto part = [](Bits word, int bits, int at, bool is_signed) {
    return number(word >> (bits * at), bits, is_signed);
  };
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const std::string types = std::string(a ? ".s32" : ".u32") + (b ? ".s32" : ".u32");
      const Shape shape{32, {32, 32, 32}, {}};
      expect_bits("dp4a" + types, shape, [=](const auto& x) {
        probe::Exact sum = x[2];
        for (int i = 0; i < 4; ++i) sum += part(x[0], 8, i, a) * part(x[1], 8, i, b);
        return static_cast<Bits>(sum);
      });
      for (const int first : {0, 2}) {
        expect_bits((first == 0 ? "dp2a.lo" : "dp2a.hi") + types, shape, [=](const auto& x) {
          probe::Exact sum = x[2];
          for (int i = 0; i < 2; ++i) sum += part(x[0], 16, i, a) * part(x[1], 8, first + i, b);
          return static_cast<Bits>(sum);
        });
      }
    }
  }
}

Bits permuted(Bits a, Bits b, const std::function<Bits(Bits)>& choice) {
  const Bits bytes = b << 32 | a;
  Bits result = 0;
  for (Bits i = 0; i < 4; ++i) {
    const Bits value = bytes >> (8 * (choice(i) & 7)) & 0xff;
    const Bits sign = value >> 7 ? 0xff : 0;
    result |= (choice(i) & 8 ? sign : value) << (8 * i);
  }
  return result;
}

TEST(Bits, Permutations) {
  const Shape shape{32, {32, 32, 32}, {}};
  expect_bits("prmt.b32", shape, [](const auto& x) {
    return permuted(x[0], x[1], [&](Bits i) { return x[2] >> (4 * i) & 15; });
  });
  for (const Bits selector : {0x5410u, 0x7632u, 0x0123u, 0x4567u, 0x7777u, 0x9180u, 0xffff3210u}) {
    expect_bits(
        "prmt.b32", {32, {32, 32}, {}},
        [=](const auto& x) {
          return permuted(x[0], x[1], [&](Bits i) { return selector >> (4 * i) & 15; });
        },
        ", " + std::to_string(selector));
  }
  // What each mode puts into bytes 0 to 3, for selectors 0 to 3.
  struct Mode {
    const char* name;
    Bits choices[4];  // one hexadecimal digit per byte, byte 0 last
  };
  const Mode modes[] = {
      {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
      {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
      {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  for (const Mode& mode : modes) {
    expect_bits(std::string("prmt.b32.") + mode.name, shape, [&](const auto& x) {
      return permuted(x[0], x[1], [&](Bits i) { return mode.choices[x[2] & 3] >> (4 * i) & 15; });
    });
  }
}

TEST(Logic, WhatPtxDoesNotHaveIsRefused) {
  for (const char* text :
       {"and.u32 %r0, %r1, %r2;", "shl.u32 %r0, %r1, %r2;", "shl.b64 %d0, %d1, %d2;",
        "shf.r.b32 %r0, %r1, %r2, %r3;", "shf.l.clamp.b64 %d0, %d1, %d2, %r3;",
        "lop3.b32 %r0, %r1, %r2, %r3, %r4;", "lop3.or.b32 %r0, %r1, %r2, %r3, 128, %p1;",
        "lop3.xor.b32 %r0|%p0, %r1, %r2, %r3, 128, %p1;", "bmsk.b32 %r0, %r1, %r2;",
        "szext.s32 %r0, %r1, %r2;", "bfe.u32 %r0, %r1, 8, 300;", "bfe.b32 %r0, %r1, %r2, %r3;",
        "popc.u32 %r0, %r1;", "bfind.b32 %r0, %r1;", "dp2a.u32.u32 %r0, %r1, %r2, %r3;",
        "cnot.pred %p0, %p1;", "prmt.b32.rc4 %r0, %r1, %r2, %r3;"}) {
    EXPECT_THROW(probe::program_of(text), sim::ptx::Refused) << text;
  }
}

}  // namespace
