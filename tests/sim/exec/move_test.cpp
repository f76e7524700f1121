// Comparisons, selections, packing and addresses.
#include <gtest/gtest.h>

#include <functional>

#include "sim/machine/memory.hpp"
#include "tests/sim/exec/lane_probe.hpp"

using namespace aisp;

namespace {

using probe::Exact;
using probe::number;
using probe::Numbers;
using probe::Probe;
using probe::truncated;

std::string reg(int bits, int index) {
  const char* prefix = bits == 16 ? "%h" : bits == 32 ? "%r" : "%d";
  return prefix + std::to_string(index);
}

struct Comparison {
  const char* name;
  bool (*holds)(Exact, Exact);
  bool for_signed, for_bits;
};
const Comparison comparisons[] = {
    {"eq", [](Exact a, Exact b) { return a == b; }, true, true},
    {"ne", [](Exact a, Exact b) { return a != b; }, true, true},
    {"lt", [](Exact a, Exact b) { return a < b; }, true, false},
    {"le", [](Exact a, Exact b) { return a <= b; }, true, false},
    {"gt", [](Exact a, Exact b) { return a > b; }, true, false},
    {"ge", [](Exact a, Exact b) { return a >= b; }, true, false},
    {"lo", [](Exact a, Exact b) { return a < b; }, false, false},
    {"ls", [](Exact a, Exact b) { return a <= b; }, false, false},
    {"hi", [](Exact a, Exact b) { return a > b; }, false, false},
    {"hs", [](Exact a, Exact b) { return a >= b; }, false, false},
};

void for_each_comparison(
    const std::function<void(const Comparison&, const std::string& type, int bits, bool)>& body) {
  for (const Comparison& comparison : comparisons) {
    for (const int bits : {16, 32, 64}) {
      for (const char kind : {'u', 's', 'b'}) {
        if ((kind == 's' && !comparison.for_signed) || (kind == 'b' && !comparison.for_bits)) {
          continue;
        }
        body(comparison, kind + std::to_string(bits), bits, kind == 's');
      }
    }
  }
}

// Fills a and b so that equal pairs are frequent; gives the lanes for which the comparison holds.
sim::Mask fill(Probe& probe, const Comparison& comparison, int bits, bool is_signed,
               Numbers& numbers) {
  const bool exchanged = std::string("le gt ls hi").find(comparison.name) != std::string::npos;
  const sim::Ref a = exchanged ? probe.op().b : probe.op().a;
  const sim::Ref b = exchanged ? probe.op().a : probe.op().b;
  sim::Mask holds = 0;
  for (int lane = 0; lane < sim::lanes; ++lane) {
    const std::uint64_t x = numbers.next(), y = lane % 4 == 0 ? x : numbers.next();
    probe.put(a, bits, lane, x);
    probe.put(b, bits, lane, y);
    holds |= sim::Mask{comparison.holds(number(x, bits, is_signed), number(y, bits, is_signed))}
             << lane;
  }
  return holds;
}

TEST(Compare, SetpWritesBothPredicates) {
  const sim::Mask mask = 0xf0ff0f31, old = 0x5a5a5a5a, c = 0x33cc55aa;
  Numbers numbers;
  for_each_comparison([&](const auto& comparison, const std::string& type, int bits, bool sign) {
    for (const std::string combine : {"", ".and", ".or", ".xor"}) {
      for (const bool negated : {false, true}) {
        const std::string text = std::string("setp.") + comparison.name + combine + "." + type +
                                 " %p0|%p1, " + reg(bits, 1) + ", " + reg(bits, 2) +
                                 (combine.empty() ? ""
                                  : negated       ? ", !%p2"
                                                  : ", %p2") +
                                 ";";
        SCOPED_TRACE(text);
        Probe probe(text);
        const sim::Op& op = probe.op();
        if (!combine.empty()) *probe.warp.write<sim::Mask>(op.c) = c;
        *probe.warp.write<sim::Mask>(op.dst) = *probe.warp.write<sim::Mask>(op.dst2) = old;
        const sim::Mask holds = fill(probe, comparison, bits, sign, numbers);
        probe.run(mask);
        const auto expected = [&](sim::Mask outcome) {
          const sim::Mask q = negated ? ~c : c;
          const sim::Mask value = combine == ".and"   ? outcome & q
                                  : combine == ".or"  ? outcome | q
                                  : combine == ".xor" ? outcome ^ q
                                                      : outcome;
          return (value & mask) | (old & ~mask);
        };
        ASSERT_EQ(probe.predicate(op.dst), expected(holds));
        ASSERT_EQ(probe.predicate(op.dst2), expected(~holds));
      }
    }
  });
}

TEST(Compare, SetWritesOnesOfItsType) {
  Numbers numbers;
  const std::pair<const char*, std::uint32_t> results[] = {
      {"u32", ~0u}, {"s32", ~0u}, {"f32", 0x3f800000}};
  for_each_comparison([&](const auto& comparison, const std::string& type, int bits, bool sign) {
    for (const auto& [result, when_true] : results) {
      const std::string text = std::string("set.") + comparison.name + "." + result + "." + type +
                               " %r0, " + reg(bits, 1) + ", " + reg(bits, 2) + ";";
      SCOPED_TRACE(text);
      Probe probe(text);
      const sim::Mask holds = fill(probe, comparison, bits, sign, numbers);
      probe.run();
      for (int lane = 0; lane < sim::lanes; ++lane) {
        ASSERT_EQ(probe.get(probe.op().dst, 32, lane), holds >> lane & 1 ? when_true : 0);
      }
    }
  });
}

TEST(Select, ByPredicate) {
  for (const int bits : {16, 32, 64}) {
    for (const bool negated : {false, true}) {
      Probe probe("selp.b" + std::to_string(bits) + " " + reg(bits, 0) + ", " + reg(bits, 1) +
                  ", " + reg(bits, 2) + (negated ? ", !%p0;" : ", %p0;"));
      const sim::Op& op = probe.op();
      const sim::Mask choice = 0x12345678;
      *probe.warp.write<sim::Mask>(op.c) = choice;
      for (int lane = 0; lane < sim::lanes; ++lane) {
        probe.put(op.a, bits, lane, 100 + static_cast<unsigned>(lane));
        probe.put(op.b, bits, lane, 200 + static_cast<unsigned>(lane));
      }
      probe.run();
      for (int lane = 0; lane < sim::lanes; ++lane) {
        const bool first = (choice >> lane & 1) != negated;
        ASSERT_EQ(probe.get(op.dst, bits, lane),
                  (first ? 100u : 200u) + static_cast<unsigned>(lane));
      }
    }
  }
}

TEST(Select, ByTheSignOfAFloat) {
  const std::pair<std::uint32_t, int> selectors[] = {
      {0x00000000, 1}, {0x80000000, 1}, {0x3f800000, 1}, {0xbf800000, 2}, {0x7f800000, 1},
      {0xff800000, 2}, {0x7fc00000, 2}, {0xffc00000, 2}, {0x80000001, 2}, {0x807fffff, 2}};
  for (const bool flush : {false, true}) {
    Probe probe(flush ? "slct.ftz.u32.f32 %r0, %r1, %r2, %r3;"
                      : "slct.u32.f32 %r0, %r1, %r2, %r3;");
    const sim::Op& op = probe.op();
    for (const auto& [selector, expected] : selectors) {
      probe.put(op.a, 32, 0, 1);
      probe.put(op.b, 32, 0, 2);
      probe.put(op.c, 32, 0, selector);
      probe.run(1);
      const bool subnormal = (selector & 0x7f800000) == 0 && (selector & 0x7fffff) != 0;
      EXPECT_EQ(probe.get(op.dst, 32, 0), flush && subnormal ? 1u : static_cast<unsigned>(expected))
          << std::hex << selector;
    }
  }
}

TEST(Move, PackingIsLittleEndianAndUndoesUnpacking) {
  struct Form {
    int whole, parts;
  };
  for (const Form form : {Form{32, 2}, Form{64, 2}, Form{64, 4}}) {
    const int part = form.whole / form.parts;
    std::string elements;
    for (int i = 0; i < form.parts; ++i) elements += (i ? ", " : "") + reg(part, i + 1);
    const std::string type = "mov.b" + std::to_string(form.whole);
    Probe unpack(type + " {" + elements + "}, " + reg(form.whole, 0) + ";");
    Probe pack(type + " " + reg(form.whole, 0) + ", {" + elements + "};");
    SCOPED_TRACE(type + " {" + elements + "}");
    Numbers numbers;
    for (int lane = 0; lane < sim::lanes; ++lane) {
      const std::uint64_t value = truncated(numbers.next(), form.whole);
      unpack.put(unpack.op().a, form.whole, lane, value);
      unpack.run(1u << lane);
      for (int i = 0; i < form.parts; ++i) {
        const std::uint64_t element = unpack.get(unpack.warp.list(unpack.op())[i], part, lane);
        ASSERT_EQ(element, truncated(value >> (i * part), part));
        pack.put(pack.warp.list(pack.op())[i], part, lane, element);
      }
      pack.run(1u << lane);
      ASSERT_EQ(pack.get(pack.op().dst, form.whole, lane), value);
    }
  }
}

TEST(Move, SixteenBytes) {
  Probe probe("mov.b128 %q0, {%d0, %d1};\nmov.b128 {%r0, %r1, _, %r3}, %q0;");
  for (int lane = 0; lane < sim::lanes; ++lane) {
    probe.put(probe.warp.list(probe.op())[0], 64, lane,
              0x1111111122222222u + static_cast<unsigned>(lane));
    probe.put(probe.warp.list(probe.op())[1], 64, lane, 0x3333333344444444u);
  }
  probe.run(sim::all_lanes, 0);
  probe.run(sim::all_lanes, 1);
  const sim::Ref* parts = probe.warp.list(probe.op(1));
  for (int lane = 0; lane < sim::lanes; ++lane) {
    EXPECT_EQ(probe.get(parts[0], 32, lane), 0x22222222u + static_cast<unsigned>(lane));
    EXPECT_EQ(probe.get(parts[1], 32, lane), 0x11111111u);
    EXPECT_EQ(probe.get(parts[3], 32, lane), 0x33333333u);
  }
}

TEST(Address, GenericAndBack) {
  Probe to("cvta.shared.u64 %d0, %d1;"), from("cvta.to.shared.u64 %d0, %d1;");
  Probe rank("getctarank.u64 %r0, %d1;"), map("mapa.u64 %d0, %d1, 3;");
  Probe map32("mapa.shared::cluster.u32 %r0, %r1, %r2;");
  const std::uint64_t address = (std::uint64_t{5} << sim::shared_rank_shift) + 0x1230;
  to.put(to.op().a, 64, 0, address);
  to.run(1);
  const std::uint64_t generic = to.get(to.op().dst, 64, 0);
  EXPECT_EQ(generic, sim::Windows::shared() + address);
  from.put(from.op().a, 64, 0, generic);
  from.run(1);
  EXPECT_EQ(from.get(from.op().dst, 64, 0), address);
  rank.put(rank.op().a, 64, 0, generic);
  rank.run(1);
  EXPECT_EQ(rank.get(rank.op().dst, 32, 0), 5u);
  map.put(map.op().a, 64, 0, generic);
  map.run(1);
  EXPECT_EQ(map.get(map.op().dst, 64, 0), sim::Windows::shared() + 0x3001230);
  map32.put(map32.op().a, 32, 0, static_cast<std::uint32_t>(address));
  map32.put(map32.op().b, 32, 0, 7);
  map32.run(1);
  EXPECT_EQ(map32.get(map32.op().dst, 32, 0), 0x7001230u);
}

TEST(Address, SpacesAreToldApart) {
  sim::Memory memory(1 << 20);
  const auto global =
      reinterpret_cast<std::uint64_t>(memory.allocate(64, sim::MemoryKind::module_global));
  const auto constant =
      reinterpret_cast<std::uint64_t>(memory.allocate(64, sim::MemoryKind::module_const));
  sim::Grid grid;
  grid.memory = &memory;
  sim::Cluster cluster;
  cluster.blocks.push_back(std::make_unique<sim::Block>());
  cluster.blocks.push_back(std::make_unique<sim::Block>());
  sim::Block block;
  block.cluster = &cluster;
  block.grid = &grid;
  block.rank = 1;
  const std::uint64_t own = sim::Windows::shared() + (1u << sim::shared_rank_shift) + 16;
  const std::uint64_t other = sim::Windows::shared() + 16, local = sim::Windows::local() + 8;
  const auto lies_in = [&](const std::string& space, std::uint64_t address) {
    Probe probe("isspacep." + space + " %p0, %d1;");
    probe.warp.block = &block;
    probe.put(probe.op().a, 64, 3, address);
    probe.run(8);
    return (probe.predicate(probe.op().dst) >> 3 & 1) != 0;
  };
  EXPECT_TRUE(lies_in("shared", own));
  EXPECT_FALSE(lies_in("shared", other));
  EXPECT_TRUE(lies_in("shared::cluster", other));
  EXPECT_FALSE(lies_in("shared::cluster", other + (7u << sim::shared_rank_shift)));
  EXPECT_TRUE(lies_in("local", local));
  EXPECT_FALSE(lies_in("local", own));
  EXPECT_TRUE(lies_in("global", global));
  EXPECT_FALSE(lies_in("global", own));
  EXPECT_FALSE(lies_in("global", local));
  EXPECT_TRUE(lies_in("const", constant));
  EXPECT_FALSE(lies_in("const", global));
}

TEST(Move, ClocksRunOnInstructions) {
  sim::Grid grid;
  grid.now = [] { return std::uint64_t{0x1'2345'6789}; };
  grid.workspace = 0xabcd'0123'4567;
  sim::Cluster cluster;
  sim::Counters counters;
  counters.by_class[0] = 0x7'0000'0000;
  counters.by_class[static_cast<int>(sim::OpClass::branch)] = 0x42;
  sim::Block block;
  block.cluster = &cluster;
  block.grid = &grid;
  const auto moved = [&](const std::string& type, const char* name) {
    const int bits = type == "u64" ? 64 : 32;
    Probe probe("mov." + type + " " + reg(bits, 0) + ", " + name + ";");
    probe.warp.block = &block;
    probe.warp.counters = &counters;
    probe.run();
    return probe.get(probe.op().dst, bits, 31);
  };
  EXPECT_EQ(moved("u32", "%clock"), 0x42u);
  EXPECT_EQ(moved("u32", "%clock_hi"), 7u);
  EXPECT_EQ(moved("u64", "%clock64"), 0x7'0000'0042u);
  EXPECT_EQ(moved("u64", "%globaltimer"), 0x8'2345'67cbu);
  EXPECT_EQ(moved("u32", "%globaltimer_hi"), 8u);
  EXPECT_EQ(moved("u32", "%envreg1"), 0xabcdu);
  EXPECT_EQ(moved("u32", "%envreg2"), 0x01234567u);
}

TEST(Move, WhatPtxDoesNotHaveIsRefused) {
  for (const char* text :
       {"mov.u32 %r0, {%h0, %h1};", "mov.b32 %r0, {%h0, %h1, %h2};", "mov.u8 %h0, %h1;",
        "selp.pred %p0, %p1, %p2, %p3;", "slct.ftz.u32.s32 %r0, %r1, %r2, %r3;",
        "setp.lo.s32 %p0, %r1, %r2;", "setp.lt.b32 %p0, %r1, %r2;", "setp.equ.s32 %p0, %r1, %r2;",
        "set.lt.u16.u32 %h0, %r1, %r2;", "setp.lt.and.s32 %p0, %r1, %r2;", "cvta.u64 %d0, %d1;",
        "cvta.to.shared.u32 %r0, %r1;", "isspacep.param::func %p0, %d1;", "mapa.u32 %r0, %r1, 1;",
        "mov.u32 %r0, %pm0;"}) {
    EXPECT_THROW(probe::program_of(text), sim::ptx::Refused) << text;
  }
  EXPECT_THROW(probe::program_of("mapa.u64 %d0, %d1, 1;", 80), sim::ptx::Refused);
}

}  // namespace
