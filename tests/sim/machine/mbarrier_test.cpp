// The mbarrier object, and what the instructions on it refuse.
#include "sim/machine/mbarrier.hpp"

#include <gtest/gtest.h>

#include "tests/sim/support/simulator.hpp"

using namespace aisp;

namespace {

using sim::MBarrier;

MBarrier fresh(std::uint32_t count) {
  MBarrier object;
  EXPECT_TRUE(object.init(count));
  return object;
}

TEST(MBarrier, KeepsItsFieldsInSixtyFourBits) {
  for (const bool phase : {false, true})
    for (const std::uint32_t expected : {1u, 77u, MBarrier::max_count})
      for (const std::uint32_t pending : {0u, 1u, MBarrier::max_count})
        for (const std::int32_t transactions : {-1048575, -1, 0, 1, 1048575}) {
          MBarrier object = fresh(1);
          object.phase = phase;
          object.expected = expected;
          object.pending = pending;
          object.transactions = transactions;
          const MBarrier again = MBarrier::decode(object.encode());
          EXPECT_TRUE(again.alive);
          EXPECT_EQ(again.phase, phase);
          EXPECT_EQ(again.expected, expected);
          EXPECT_EQ(again.pending, pending);
          EXPECT_EQ(again.transactions, transactions);
          EXPECT_EQ(MBarrier::phase_of_token(object.token()), phase);
        }
  EXPECT_FALSE(MBarrier::decode(0).alive);
}

TEST(MBarrier, CompletesAPhaseWithTheLastArrival) {
  MBarrier object = fresh(3);
  EXPECT_TRUE(object.arrive(2));
  EXPECT_FALSE(object.complete_since(false));
  EXPECT_TRUE(object.arrive(1));
  EXPECT_TRUE(object.complete_since(false));
  EXPECT_FALSE(object.complete_since(true));
  EXPECT_EQ(object.pending, 3u);
}

TEST(MBarrier, WaitsForBytesToo) {
  MBarrier object = fresh(1);
  EXPECT_TRUE(object.expect_tx(64));
  EXPECT_TRUE(object.arrive(1));
  EXPECT_FALSE(object.complete_since(false));
  EXPECT_TRUE(object.complete_tx(48));
  EXPECT_TRUE(object.complete_tx(16));
  EXPECT_TRUE(object.complete_since(false));
}

TEST(MBarrier, BytesMayBeCompleteBeforeTheyAreExpected) {
  MBarrier object = fresh(1);
  EXPECT_TRUE(object.complete_tx(96));
  EXPECT_TRUE(object.arrive(1));
  EXPECT_FALSE(object.complete_since(false));
  EXPECT_TRUE(object.expect_tx(96));
  EXPECT_TRUE(object.complete_since(false));
}

TEST(MBarrier, DropsArrivalsOfLaterPhases) {
  MBarrier object = fresh(2);
  EXPECT_TRUE(object.arrive_drop(1));
  EXPECT_TRUE(object.arrive(1));
  EXPECT_EQ(object.pending, 1u);
  EXPECT_TRUE(object.arrive_drop(1));
  EXPECT_EQ(object.pending, 0u);
  EXPECT_FALSE(object.arrive(1));
}

TEST(MBarrier, RefusesWhatLeavesItsRange) {
  MBarrier object;
  EXPECT_FALSE(object.init(0));
  EXPECT_FALSE(object.init(MBarrier::max_count + 1));
  object = fresh(2);
  EXPECT_FALSE(object.arrive(3));
  EXPECT_FALSE(object.arrive(0));
  EXPECT_FALSE(object.arrive_drop(3));
  EXPECT_EQ(object.expected, 2u);
  EXPECT_TRUE(object.expect_tx(MBarrier::max_count));
  EXPECT_FALSE(object.expect_tx(1));
  EXPECT_TRUE(object.complete_tx(MBarrier::max_count));
  EXPECT_TRUE(object.complete_tx(MBarrier::max_count));
  EXPECT_FALSE(object.complete_tx(1));
  object = fresh(MBarrier::max_count);
  EXPECT_FALSE(object.await_more(1));
}

// What the report says when one thread runs these statements.
std::string fault_of(const std::string& statements) {
  experiments::Experiment experiment;
  experiment.text =
      ".version 9.0\n.target sm_90a\n.address_size 64\n"
      ".visible .entry faulty(.param .u64 out) {\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
      ".shared .align 16 .b8 bar[32];\n" +
      statements + "\nret;\n}\n";
  experiment.entry = "faulty";
  experiment.sm = "90a";
  experiment.out_bytes = 4;
  return experiments::simulate(experiment).failure;
}

TEST(MBarrierInstructions, RefuseMisuseWithNumbers) {
  const std::string init = "mbarrier.init.shared::cta.b64 [bar], 2;\n";
  const std::pair<std::string, std::string> cases[] = {
      {"mbarrier.arrive.shared::cta.b64 _, [bar];", "not initialised"},
      {init + "mbarrier.inval.shared::cta.b64 [bar];\nmbarrier.arrive.shared::cta.b64 _, [bar];",
       "invalidated"},
      {"mov.u32 %r1, 0;\nmbarrier.init.shared::cta.b64 [bar], %r1;", "with 0 arrivals"},
      {"mov.u32 %r1, 1048576;\nmbarrier.init.shared::cta.b64 [bar], %r1;", "1048576 arrivals"},
      {init + "mbarrier.arrive.shared::cta.b64 _, [bar], 3;",
       "2 of 2 arrivals and 0 bytes missing"},
      {init + "mbarrier.arrive.noComplete.shared::cta.b64 %d1, [bar], 2;", ".noComplete"},
      {init + "mbarrier.expect_tx.shared::cta.b64 [bar], 1048576;", "expect_tx of 1048576"},
      {"mbarrier.init.shared::cta.b64 [bar+4], 1;", "multiple of 8"},
      {"mov.b64 %d1, 64;\nmbarrier.init.b64 [%d1], 1;", "does not lie in shared memory"},
  };
  for (const auto& [statements, wanted] : cases)
    EXPECT_NE(fault_of(statements).find(wanted), std::string::npos)
        << statements << "\nsaid: " << fault_of(statements);
}

TEST(MBarrierInstructions, AreRefusedWherePtxasRefusesThem) {
  for (const char* statement : {
           "mbarrier.arrive.shared::cluster.b64 %d1, [bar];",
           "mbarrier.init.shared::cluster.b64 [bar], 4;",
           "mbarrier.arrive.release.shared::cta.b64 _, [bar];",
           "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 2;",
           "mbarrier.arrive.acquire.cta.shared::cta.b64 _, [bar];",
           "mbarrier.arrive.shared::cta.b64 _, [bar], 0;",
           "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0, 100;",
           "mbarrier.arrive.shared::cta.u64 _, [bar];",
       })
    EXPECT_NE(fault_of(statement).find("line "), std::string::npos) << statement;
}

TEST(MBarrierInstructions, ThatNobodyEndsAreADeadlockOrGiveUp) {
  EXPECT_EQ(fault_of("mbarrier.init.shared::cta.b64 [bar], 1;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;"),
            "");
}

}  // namespace
