// Registers share slots when their lives do not overlap, and only then.
#include <algorithm>
#include <chrono>
#include <random>
#include <set>

#include "sim/program/liveness.hpp"
#include "sim/program/slots.hpp"
#include "tests/sim/program/decode_support.hpp"

namespace aisp::sim::testing {
namespace {

TEST(Liveness, ChainsReuseSlots) {
  std::string body = "mov.b32 %r0, 1;\n";
  for (int i = 1; i < 90; ++i)
    body += "add.s32 %r" + std::to_string(i) + ", %r" + std::to_string(i - 1) + ", 1;\n";
  body += "st.global.b32 [%rd1], %r89;";
  const Program program = decode_text(kernel(body)).program;
  const Routine& k = *program.kernel("k");
  EXPECT_EQ(k.register_bytes, 2u * 128 + 256);
  EXPECT_EQ(k.registers_32, 3) << "an address of two words and the value";
  for (const Op& op : program.ops) {
    if (op.dst != no_ref && op.a != no_ref) {
      EXPECT_NE(op.dst, op.a);
    }
  }
}

TEST(Liveness, LoopsKeepWhatTheNextRoundReads) {
  const Program program = decode_text(kernel("mov.b32 %r1, 0;\n"             // 0
                                             "L: mov.b32 %r2, 5;\n"          // 1
                                             "add.s32 %r3, %r2, %r1;\n"      // 2
                                             "mov.b32 %r4, 7;\n"             // 3
                                             "st.global.b32 [%rd1], %r4;\n"  // 4
                                             "@%p1 bra L; st.global.b32 [%rd1], %r3;"))
                              .program;
  const std::set<Ref> at_3{program.ops[0].dst, program.ops[2].dst, program.ops[3].dst};
  EXPECT_EQ(at_3.size(), 3u);
}

TEST(Liveness, GuardedWritesKeepTheOldValue) {
  const Program program = decode_text(kernel("mov.b32 %r1, 1;\n"
                                             "mov.b32 %r2, 2;\n"
                                             "st.global.b32 [%rd1], %r2;\n"
                                             "@%p1 mov.b32 %r1, 3;\n"
                                             "st.global.b32 [%rd1], %r1;"))
                              .program;
  EXPECT_NE(program.ops[0].dst, program.ops[1].dst);
  EXPECT_EQ(program.ops[0].dst, program.ops[3].dst);
}

TEST(Liveness, ClassesAreApartAndKeptRegistersAreExclusive) {
  const Program program =
      decode_text(kernel("mov.b32 %r1, 1; st.global.b32 [%rd1], %r1;\n"
                         "mov.f32 %f1, 0f00000000;\n"
                         "wgmma.test {%f1, %f2}, %rd2;\n"
                         "mov.b32 %r2, 1; st.global.b32 [%rd1], %r2;\n"
                         "mov.f32 %f3, %f1; mov.b32 %r3, %r2; add.cc.u32 %r4, %r3, %r3;\n"
                         "addc.u32 %r5, %r3, %r3;"))
          .program;
  EXPECT_EQ(program.ops[0].dst, program.ops[4].dst);
  EXPECT_NE(program.lists[0], program.ops[0].dst);
  EXPECT_NE(program.lists[1], program.ops[0].dst);
  EXPECT_TRUE(program.ops[2].drains_products);
  EXPECT_TRUE(program.ops[6].drains_products);
  EXPECT_FALSE(program.ops[7].drains_products);
  EXPECT_EQ(program.ops[8].dst2, program.ops[9].c) << "the carry";
}

TEST(Liveness, KernelsBeginBehindFunctions) {
  const Program program =
      decode_text(".func f { .reg .b32 %r<3>; mov.u32 %r1, %laneid; add.s32 %r2, %r1, 1; ret; }\n" +
                  kernel("call f; mov.u32 %r1, %tid.x;") +
                  ".entry alone { .reg .b32 %r1; mov.b32 %r1, 1; ret; }\n")
          .program;
  const Routine& f = program.routines[0];
  ASSERT_EQ(f.registers.size(), 1u);
  EXPECT_EQ(f.registers[0].lane_bytes, 4u);
  const Routine& k = *program.kernel("k");
  EXPECT_GE(program.ops[k.entry + 1].dst, f.registers[0].first + f.registers[0].bytes);
  EXPECT_EQ(k.specials.size(), 2u);
  EXPECT_EQ(program.kernel("alone")->register_bytes, 128u);
}

// Random programs: walk random paths and check that no slot is overwritten while it is needed.
TEST(Liveness, RandomGraphsNeverClobber) {
  std::mt19937 random(7);
  auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t ops = 5 + below(40), regs = 2 + below(12);
    std::vector<Transfer> transfers;
    Touches touches;
    for (std::uint32_t op = 0; op < ops; ++op) {
      touches.first.push_back(static_cast<std::uint32_t>(touches.list.size()));
      for (std::uint32_t n = below(3); n > 0; --n)
        touches.list.push_back({Touch::Kind::read, below(regs)});
      if (below(2) == 0)
        touches.list.push_back(
            {below(4) == 0 ? Touch::Kind::partial_write : Touch::Kind::write, below(regs)});
      if (op + 1 == ops)
        transfers.push_back({op, false, true, {}});
      else if (below(5) == 0)
        transfers.push_back({op, below(3) != 0, false, {below(ops)}});
    }
    const FlowGraph graph = make_flow_graph(ops, transfers);
    const Liveness live = find_liveness(graph, touches, std::vector<std::uint8_t>(regs, 1));
    std::vector<SlotRequest> requests;
    for (std::uint32_t reg = 0; reg < regs; ++reg)
      requests.push_back({SlotClass::word, false, live.intervals[reg]});
    const SlotPlan plan = plan_slots(requests);
    for (int walk = 0; walk < 20; ++walk) {
      std::vector<int> value(regs, 0);
      std::map<Ref, int> slots;
      std::uint32_t op = 0;
      for (int step = 1; step < 200 && op < ops; ++step) {
        for (std::uint32_t at = touches.begin(op); at < touches.end(op); ++at) {
          const Touch& touch = touches.list[at];
          if (touch.kind == Touch::Kind::read) {
            ASSERT_EQ(slots[plan.place[touch.reg]], value[touch.reg]);
          }
        }
        for (std::uint32_t at = touches.begin(op); at < touches.end(op); ++at) {
          const Touch& touch = touches.list[at];
          const bool happens = touch.kind == Touch::Kind::write ||
                               (touch.kind == Touch::Kind::partial_write && below(2) == 0);
          if (happens) slots[plan.place[touch.reg]] = value[touch.reg] = step;
        }
        const auto& block = graph.blocks[graph.block_of(op)];
        if (op + 1 < block.end) {
          ++op;
        } else if (block.successors.empty()) {
          break;
        } else {
          const auto& next = block.successors;
          op = graph.blocks[next[below(static_cast<std::uint32_t>(next.size()))]].first;
        }
      }
    }
  }
}

// Post-dominators by definition: without the block, no path reaches the end.
TEST(Flow, PostDominatorsMatchTheirDefinition) {
  std::mt19937 random(11);
  auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t ops = 3 + below(14);
    std::vector<Transfer> transfers;
    for (std::uint32_t op = 0; op + 1 < ops; ++op)
      if (below(2) == 0) transfers.push_back({op, true, below(6) == 0, {below(ops)}});
    transfers.push_back({ops - 1, false, true, {}});
    const FlowGraph graph = make_flow_graph(ops, transfers);
    const auto found = post_dominators(graph);
    const std::uint32_t exit = graph.exit();
    auto reaches_end = [&](std::uint32_t from, std::uint32_t without) {
      std::vector<bool> seen(exit, false);
      std::vector<std::uint32_t> open{from};
      while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        if (at == without || seen[at]) continue;
        seen[at] = true;
        if (graph.blocks[at].leaves) return true;
        open.insert(open.end(), graph.blocks[at].successors.begin(),
                    graph.blocks[at].successors.end());
      }
      return false;
    };
    for (std::uint32_t block = 0; block < exit; ++block) {
      std::set<std::uint32_t> dominators;
      for (std::uint32_t other = 0; other < exit; ++other)
        if (other != block && !reaches_end(block, other)) dominators.insert(other);
      std::uint32_t nearest = exit;
      for (const std::uint32_t one : dominators)
        if (std::all_of(dominators.begin(), dominators.end(), [&](std::uint32_t other) {
              return other == one || !reaches_end(one, other);
            }))
          nearest = one;
      EXPECT_EQ(found[block], nearest);
    }
  }
}

TEST(Decode, FiftyThousandInstructionsAreQuick) {
  std::string body = ".reg .b32 %x<20000>;\n";
  for (int i = 0; i < 50000; ++i) {
    const auto x = [&](int n) { return "%x" + std::to_string((i * 7 + n * 13) % 20000); };
    if (i % 10 == 9)
      body += "@%p1 bra L" + std::to_string((i * 31) % 50000 / 10) + ";\n";
    else if (i % 10 == 0)
      body +=
          "L" + std::to_string(i / 10) + ": add.s32 " + x(0) + ", " + x(1) + ", " + x(2) + ";\n";
    else
      body += "add.s32 " + x(0) + ", " + x(1) + ", 3;\n";
  }
  const auto start = std::chrono::steady_clock::now();
  const Program program = decode_text(kernel(body)).program;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(program.ops.size(), 50001u);
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_LT(took.count(), 20.0) << "one that is not linear takes minutes";
}

}  // namespace
}  // namespace aisp::sim::testing
