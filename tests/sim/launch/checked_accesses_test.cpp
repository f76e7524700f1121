// What the hazard checker decides of reads and writes that repeat and of whole warps in shared
// memory without comparing cell by cell. Each shortcut has a program that is wrong where it would
// say too much, and a correct one beside it.
#include "tests/sim/support/checked.hpp"

using namespace aisp;

namespace {

using namespace checked;

// The last warp that comes to a barrier goes on first.
TEST(RepeatedRead, OfLaterInstantIsOneMore) {
  for (const std::string at : {"[%r3]", "[%r4]", "[%r1]"}) {
    const std::string read = "@%p1 ld.shared.u32 %r12, " + at + ";\n";
    const std::string write = "@%p0 st.shared.u32 " + at + ", %r8;\n";
    EXPECT_EQ(findings(read + "bar.sync 0;" + read + "bar.sync 0;" + write, 2), 0u) << at;
    EXPECT_NE(findings(read + "bar.sync 0;" + read + write, 2), 0u) << at;
  }
}

TEST(RepeatedRead, BehindAWriteOfTheLaneIsOneMore) {
  for (const std::string at : {"[%r3]", "[%r4]"}) {
    const std::string read = "@%p1 ld.shared.u32 %r12, " + at + ";\n";
    const std::string same = " st.shared.u32 " + at + ", %r8;\n";
    const std::string lanes = "bar.sync 0; @%p1" + same;
    EXPECT_EQ(findings(read + lanes + "@%p0" + same, 2), 0u) << "zeros over zeros";
    EXPECT_NE(findings("bar.sync 0;" + read + "@%p1" + same + read + "@%p0" + same, 2), 0u) << at;
  }
}

TEST(RepeatedRead, OfMoreBytesIsAnother) {
  const std::string words = "@%p1 ld.shared.u32 %r12, [%r5];\n";
  const std::string rows = "@%p1 ld.shared.v4.u32 {%r12, %r13, %r14, %r15}, [%r5];\n";
  const std::string write = "@%p0 st.shared.u32 [%r5 + 8], %r8;\n";
  EXPECT_EQ(findings("bar.sync 0;" + words + write, 2), 0u);
  EXPECT_NE(findings("bar.sync 0;" + words + rows + write, 2), 0u);
}

TEST(RepeatedRead, ElsewhereIsAnother) {
  for (const std::string at : {"%r3", "%r4"}) {
    const std::string write = "@%p0 st.shared.u32 [" + at + " + 512], %r8;\n";
    const std::string near = "@%p1 ld.shared.u32 %r12, [" + at + "];\n";
    const std::string far = "@%p1 ld.shared.u32 %r12, [" + at + " + 512];\n";
    EXPECT_EQ(findings("bar.sync 0;" + near + near + write, 2), 0u);
    EXPECT_NE(findings("bar.sync 0;" + near + near + far + write, 2), 0u);
  }
  // The first lane's address is the same.
  EXPECT_NE(findings("bar.sync 0; @%p1 ld.shared.u32 %r12, [%r4]; @%p1 ld.shared.u32 %r12, [%r4];"
                     " mad.lo.u32 %r4, %r2, 20, %r1; and.b32 %r16, %r2, 1; sub.u32 %r4, %r4, %r16;"
                     " and.b32 %r4, %r4, -4; add.u32 %r5, %r4, 0;"
                     " @%p1 ld.shared.u32 %r12, [%r4]; @%p0 st.shared.u32 [%r4], %r8;",
                     2),
            0u);
}

TEST(RepeatedRead, FartherApartIsAnother) {
  const std::string near = "@%p1 ld.shared.u32 %r12, [%r3];\n";
  const std::string far = "@%p1 ld.shared.u32 %r12, [%r5];\n";
  const std::string write =
      "setp.lt.and.u32 %p3, %r2, 16, %p0; @%p3 st.shared.u32 [%r5 + 256], %r8;";
  EXPECT_EQ(findings("bar.sync 0;" + near + write, 2), 0u);
  EXPECT_NE(findings("bar.sync 0;" + near + far + write, 2), 0u);
}

TEST(RepeatedRead, ByMoreLanesIsAnother) {
  const std::string all = "@%p1 ld.shared.u32 %r12, [%r4];\n";
  const std::string half = "setp.lt.and.u32 %p3, %r2, 16, %p1; @%p3 ld.shared.u32 %r12, [%r4];\n";
  const std::string write = "setp.ge.and.u32 %p3, %r2, 16, %p0; @%p3 st.shared.u32 [%r4], %r8;\n";
  EXPECT_EQ(findings(all + "bar.sync 0;" + half + write, 2), 0u);
  EXPECT_NE(findings(all + "bar.sync 0;" + half + all + write, 2), 0u);
}

// Block 1 reads what block 0 has written, and released.
TEST(RepeatedRead, ThroughTheReadOnlyCacheIsAnother) {
  const auto run = [](const std::string& loads) {
    return findings(R"(mov.u32 %r12, %ctaid.x; setp.ne.u32 %p3, %r12, 0; @%p3 bra reads;
        st.global.u32 [%d3], %r2; bar.warp.sync -1;
        setp.eq.u32 %p3, %r2, 0; @%p3 red.release.gpu.global.add.u32 [%d1], 1;
        bra done;
      reads:
        ld.acquire.gpu.global.u32 %r13, [%d1]; setp.eq.u32 %p3, %r13, 0; @%p3 bra reads;
      )" + loads + "done:",
                    1, 2);
  };
  const std::string plain = "ld.global.u32 %r14, [%d3];\n",
                    cached = "ld.global.nc.u32 %r14, [%d3];\n";
  EXPECT_EQ(run(plain + plain), 0u);
  EXPECT_NE(run(cached), 0u);
  const std::string scattered =
      "sub.u32 %r16, %r4, %r1; cvt.u64.u32 %d5, %r16;"
      " add.u64 %d5, %d5, %d4; setp.lt.u32 %p3, %r16, 128;"
      " selp.b64 %d5, %d5, %d3, %p3;";
  EXPECT_EQ(run(plain + scattered + "ld.global.u32 %r14, [%d5]; ld.global.u32 %r14, [%d5];"), 0u);
  EXPECT_NE(run(scattered + "ld.global.nc.u32 %r14, [%d5];"), 0u);
}

// What a race is with, behind writes that come again and again: the last of them.
TEST(RepeatedWrite, IsTheLastOne) {
  for (const std::string at : {"[%r3]", "[%r4]", "[%r6]"}) {
    const std::string write = "@%p0 st.shared.u32 " + at + ", %r2;\n";
    const std::string read = "@%p1 ld.shared.u32 %r12, " + at + ";\n";
    Pairs pairs;
    EXPECT_NE(findings(write + write + write + write + read, 2, 1, &pairs), 0u) << at;
    ASSERT_EQ(pairs.size(), 1u) << at;
    EXPECT_EQ(pairs[0].first + 1, pairs[0].second) << at;
  }
  Pairs pairs;
  const std::string add = "@%p0 atom.shared.add.u32 %r12, [%r4], 1;\n";
  EXPECT_NE(findings(add + add + add + add + "@%p1 ld.shared.u32 %r12, [%r4];", 2, 1, &pairs), 0u);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].first + 1, pairs[0].second);
}

TEST(RepeatedWrite, ElsewhereIsAnother) {
  const std::string write = "@%p0 st.shared.u32 [%r4], %r2;\n";
  const std::string move =
      "xor.b32 %r16, %r4, 512; setp.ne.and.u32 %p3, %r2, 0, %p0;"
      " @%p3 mov.u32 %r4, %r16;\n";
  const std::string read = "@%p1 ld.shared.u32 %r12, [%r3 + 512];\n";
  EXPECT_EQ(findings(write + write + write + write + read, 2), 0u);
  EXPECT_NE(findings(write + write + write + move + write + read, 2), 0u);
  const std::string run = "@%p0 st.shared.u32 [%r3], %r2;\n";
  EXPECT_NE(findings(run + run + run + "@%p0 st.shared.u32 [%r3 + 512], %r2;" + read, 2), 0u);
}

TEST(WholeWarp, WriteIsKnownBehindABarrier) {
  for (const std::string at : {"%r5", "%r6"}) {
    EXPECT_EQ(findings(store("@%p0", at) + "bar.sync 0;" + load("@%p1", "%r5"), 2), 0u) << at;
    EXPECT_NE(findings(store("@%p0", at) + load("@%p1", "%r5"), 2), 0u) << at;
    EXPECT_NE(findings(store("@%p0", at) + load("@%p1", at), 2), 0u) << at;
  }
}

TEST(WholeWarp, LanesKnowOnlyTheirOwn) {
  for (const std::string between : {"", "bar.warp.sync -1;"}) {
    const bool wrong = between.empty();
    EXPECT_EQ(findings(store("", "%r6") + between + load("", "%r7"), 1) != 0, wrong);
    EXPECT_EQ(findings(store("", "%r5") + between + load("", "%r6"), 1) != 0, wrong);
    EXPECT_EQ(
        findings(store("", "%r5") + "bar.sync 0;" + load("", "%r5") + between + store("", "%r6"),
                 1) != 0,
        wrong);
  }
  EXPECT_EQ(findings(store("", "%r6") + load("", "%r6") + store("", "%r6"), 1), 0u);
  EXPECT_NE(findings(store("", "%r5") + "bar.sync 0;" + load("", "%r5") + load("", "%r6") +
                         store("", "%r5"),
                     1),
            0u)
      << "two orders of one reader";
}

// A fence orders no lanes: what lane i + 1 read before it, lane i overwrites behind it.
TEST(WholeWarp, ReadsOfOtherLanesStay) {
  const std::string first = "ld.shared.u32 %r12, [%r3]; ld.shared.u32 %r12, [%r3 + 128];";
  const std::string then = "ld.shared.u32 %r12, [%r3 + 4]; st.shared.u32 [%r3 + 4], %r8;";
  EXPECT_NE(findings(first + "fence.acq_rel.cta;" + then, 1), 0u);
  EXPECT_EQ(findings(first + "bar.warp.sync -1;" + then, 1), 0u);
}

// Two lanes write the same 16 bytes, and none the first: what another warp wrote there stays.
TEST(WholeWarp, OfTwoLanesAtOneAddressIsNone) {
  const auto run = [&](const std::string& last) {
    return findings(store("@%p1", "%r6") + R"(max.u32 %r16, %r2, 1;
        mad.lo.u32 %r16, %r16, 16, %r1;
        @%p2 bra last; bar.sync 1, 64; )" +
                        store("@%p0", "%r16") + R"(bra done;
      last: mov.u32 %r17, 3000;
      again: add.u32 %r17, %r17, -1; setp.ne.u32 %p3, %r17, 0; @%p3 bra again;
      )" + last + "done:",
                    3);
  };
  EXPECT_NE(run("ld.shared.u32 %r12, [%r1];"), 0u);
  EXPECT_EQ(run("ld.shared.u32 %r12, [%r1 + 512];"), 0u);
}

TEST(WholeWarp, HalfOfItMeetsAlone) {
  const std::string low = "setp.lt.u32 %p3, %r2, 16; @%p3 st.shared.u32 [%r3], %r2;";
  const std::string high = "@!%p3 ld.shared.u32 %r12, [%r3 + -64];";
  EXPECT_NE(findings(low + "@%p3 bar.warp.sync 0xffff;" + high, 1), 0u);
  EXPECT_EQ(findings(low + "bar.warp.sync -1;" + high, 1), 0u);
}

TEST(WholeWarp, StrongAccessesDoNotRace) {
  for (const std::string at : {"[%r3]", "[%r6]"}) {
    const std::string write = "@%p0 st.relaxed.cta.shared.u32 " + at + ", %r2;";
    EXPECT_EQ(findings(write + "@%p1 ld.relaxed.cta.shared.u32 %r12, " + at + ";", 2), 0u);
    EXPECT_NE(findings(write + "@%p1 ld.shared.u32 %r12, " + at + ";", 2), 0u);
  }
}

TEST(WholeWarp, OverwritesNoMbarrier) {
  const std::string init = "setp.eq.u32 %p3, %r2, 0; @%p3 mbarrier.init.shared.b64 [%r1 + 8], 1;";
  for (const std::string at : {"%r5", "%r6"}) {
    EXPECT_NE(findings(init + "bar.sync 0;" + store("", at), 1), 0u) << at;
    EXPECT_EQ(findings(init + "bar.sync 0;" + store("", at + " + 512"), 1), 0u) << at;
  }
}

// Readers before a write that was ordered behind them are of no concern to the next write.
TEST(WholeWarp, ForgetsReadersWhenWritten) {
  const std::string later =
      "mov.u32 %r16, 3000; again: add.u32 %r16, %r16, -1;"
      " setp.ne.u32 %p3, %r16, 0; @%p3 bra again;";
  const auto run = [&](const std::string& second) {
    return findings(store("@%p0", "%r6") + "bar.sync 0; @%p2 bra last;" + load("@%p1", "%r6") +
                        "bar.sync 1, 64;" + second + "bra done; last:" + later + store("", "%r6") +
                        "done:",
                    3);
  };
  EXPECT_EQ(run(store("@%p0", "%r6")), 0u) << "zeros over zeros";
  EXPECT_NE(run(""), 0u);
}

TEST(WholeWarp, ReadsOfACollectiveAreOver) {
  const std::string shuffle = "shfl.sync.idx.b32 %r16, %r2, 0, 31, -1;";
  EXPECT_EQ(
      findings(store("", "%r5") + "bar.sync 0;" + load("", "%r5") + shuffle + store("", "%r6"), 1),
      0u);
  EXPECT_NE(findings(store("", "%r5") + shuffle + load("", "%r6"), 1), 0u) << "writes are not";
}

TEST(WholeWarp, LaterReadIsOneMore) {
  for (const std::string at : {"%r5", "%r6"}) {
    const std::string read = load("@%p1", at);
    EXPECT_NE(
        findings(
            store("@%p0", at) + "bar.sync 0;" + read + "bar.sync 0;" + read + store("@%p0", at), 2),
        0u)
        << at;
    EXPECT_EQ(
        findings(store("@%p0", at) + "bar.sync 0;" + read + "bar.sync 0;" + store("@%p0", at), 2),
        0u)
        << at;
  }
}

// Warps 1 to 3 read, 3 first; the writer meets two of them.
TEST(WholeWarp, EachReaderCounts) {
  for (const std::string at : {"%r5", "%r6"})
    for (const std::string& write : {store("@%p0", at), std::string("@%p0 st.shared.u32 [%r3], 0;"),
                                     std::string("@%p0 st.shared.u32 [%r3 + 128], 0;")}) {
      const auto run = [&](const std::string& met, int threads) {
        return findings(store("@%p0", at) + "bar.sync 0; @!%p0" + load("", "%r5") + met +
                            " bar.sync 1, " + std::to_string(threads) + ";" + write,
                        4);
      };
      EXPECT_EQ(run("", 128), 0u) << at << write;
      EXPECT_NE(run("@!%p1", 96), 0u) << at << write;
      EXPECT_NE(run("setp.eq.u32 %p3, %r19, 3; @!%p3", 96), 0u) << at << write;
    }
}

// What single lanes touch afterwards: cells with the lanes as they were.
// Lanes that are scattered, and the first reader of their cells is another warp.
TEST(ScatteredRead, BesideAnotherReaderIsOneMoreInALaterInstant) {
  const std::string others = "@%p1 ld.shared.u32 %r12, [%r4]; bar.sync 0;\n";
  const std::string read = "@%p2 ld.shared.u32 %r12, [%r4];\n";
  const std::string write = "@%p0 st.shared.u32 [%r4], %r8;\n";
  EXPECT_EQ(findings(others + read + read + "bar.sync 0;" + write, 3), 0u);
  EXPECT_NE(findings(others + read + "bar.sync 0;" + read + write, 3), 0u);
}

TEST(ScatteredRead, BesideAnotherReaderIsOneMoreByAnotherLane) {
  const std::string begin =
      "@%p1 ld.shared.u32 %r12, [%r4]; bar.sync 0; @!%p2 bra skip;\n"
      "and.b32 %r16, %r2, 1; setp.eq.u32 %p3, %r16, 1;\n"
      "sub.u32 %r16, %r2, 1; mul.lo.u32 %r16, %r16, 36; and.b32 %r16, %r16, 508;\n"
      "add.u32 %r16, %r16, %r1;\n"
      "ld.shared.u32 %r12, [%r4]; @%p3 ld.shared.u32 %r12, [%r16];\n";
  const std::string write = "@!%p3 st.shared.u32 [%r4], %r8;\nskip:\n";
  EXPECT_EQ(findings(begin + "bar.warp.sync -1;" + write, 3), 0u);
  EXPECT_NE(findings(begin + write, 3), 0u);
}

TEST(WholeWarp, BecomesCellsOfItsLanes) {
  const std::string half = "setp.lt.u32 %p3, %r2, 16;";
  EXPECT_EQ(findings(store("", "%r6") + half + load("@%p3", "%r6"), 1), 0u);
  EXPECT_NE(findings(store("", "%r6") + half + load("@%p3", "%r5"), 1), 0u);
  EXPECT_EQ(findings(store("", "%r6") + "ld.shared.u32 %r12, [%r6 + 4];", 1), 0u);
  EXPECT_NE(findings(store("", "%r6") + "ld.shared.u32 %r12, [%r5 + 4];", 1), 0u);
  EXPECT_NE(
      findings(store("", "%r5") + "bar.sync 0;" + load("", "%r6") + half + store("@%p3", "%r5"), 1),
      0u);
}

// Four words of neighbours: segments beside cells of the same page.
TEST(WholeWarp, LeavesTheRestOfThePage) {
  const std::string words = "st.shared.u32 [%r3 + 128], %r8; st.shared.u32 [%r3 + 256], %r8;";
  const std::string other = "bar.sync 0; @%p1 st.shared.u32 [%r3 + 384], %r8;";
  EXPECT_EQ(findings("@%p0 " + words + other, 2), 0u);
  EXPECT_NE(findings("@%p0 st.shared.u32 [%r3 + 128], %r8;" + other +
                         "@%p0 ld.shared.u32 %r12, [%r3 + 384];",
                     2),
            0u);
  EXPECT_NE(findings("bar.sync 0; @%p1 st.shared.u32 [%r3 + 128], %r2;" + load("@%p0", "%r5"), 2),
            0u);
  EXPECT_NE(findings("bar.sync 0; @%p1 st.shared.u32 [%r3 + 128], %r2;"
                     " @%p1 st.shared.u32 [%r3 + 256], %r8;"
                     " @%p0 ld.shared.u32 %r12, [%r3 + 128];",
                     2),
            0u);
}

}  // namespace
