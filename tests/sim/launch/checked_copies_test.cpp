// What the hazard checker decides of a warp's copies, of inputs that many blocks read, and of
// atomics at one address without comparing cell by cell: wrong programs and correct ones.
#include "tests/sim/support/checked.hpp"

using namespace aisp;

namespace {

using namespace checked;

const std::string wait = "cp.async.commit_group; cp.async.wait_group 0;";
std::string copy(const std::string& to, const std::string& from = "%d2", int bytes = 16) {
  return "cp.async.ca.shared.global [" + to + "], [" + from + "], " + std::to_string(bytes) + ";\n";
}

TEST(WarpCopies, AreOverWhenWaitedFor) {
  for (const std::string at : {"%r5", "%r6", "%r5 + 64"}) {
    EXPECT_EQ(findings(copy(at) + wait + copy(at) + wait, 1), 0u) << at;
    EXPECT_NE(findings(copy(at) + copy(at) + wait, 1), 0u) << at;
    EXPECT_NE(findings(copy(at) + load("", at), 1), 0u) << at;
    EXPECT_EQ(findings(copy(at) + wait + load("", at) + copy(at) + wait, 1), 0u) << at;
  }
  EXPECT_EQ(findings(copy("%r3", "%d3", 4) + wait + copy("%r3", "%d3", 4) + wait, 1), 0u);
  EXPECT_NE(findings(copy("%r3", "%d3", 4) + copy("%r3", "%d3", 4) + wait, 1), 0u);
}

// Performed when they are waited for: behind what the lanes did since.
TEST(WarpCopies, ComeBehindReadsOfTheirLanes) {
  const std::string start = store("", "%r5") + "bar.sync 0;";
  const auto latest = [](const std::string& body) {
    return findings(body, 1, 1, nullptr, sim::Order::latest);
  };
  EXPECT_EQ(latest(start + load("", "%r5") + copy("%r5") + wait), 0u);
  EXPECT_NE(latest(start + copy("%r5") + load("", "%r5") + wait), 0u);
  EXPECT_NE(latest(start + copy("%r5") + store("", "%r5") + wait), 0u);
}

// Half of the lanes have seen what the other warp released.
TEST(WarpCopies, KnowWhatEachLaneKnows) {
  const auto run = [](const std::string& half) {
    return findings(R"(@%p1 bra copies; st.shared.v4.u32 [%r5], )" + zeros + R"(; bar.warp.sync -1;
        setp.eq.u32 %p3, %r2, 0; @%p3 red.release.cta.shared.add.u32 [%r1 + 1000], 1; bra done;
      copies: setp.lt.u32 %p3, %r2, )" +
                        half + R"(; @%p3 bra low;
      poll: ld.acquire.cta.shared.u32 %r16, [%r1 + 1000];
        setp.eq.u32 %p2, %r16, 0; @%p2 bra poll; bra meet;
      low: bar.warp.sync 0xffff;
      meet: )" + copy("%r5") +
                        wait + "done:",
                    2);
  };
  EXPECT_EQ(run("0"), 0u);
  EXPECT_NE(run("16"), 0u);
}

// A group that is committed is over, the one behind it is not; lanes wait for themselves.
TEST(WarpCopies, EachLaneWaitsForItsOwn) {
  const std::string commit = "cp.async.commit_group;";
  EXPECT_EQ(findings(copy("%r5") + commit + copy("%r5 + 512") + commit + "cp.async.wait_group 1;" +
                         copy("%r5") + wait,
                     1),
            0u);
  EXPECT_NE(findings(copy("%r5") + commit + copy("%r5 + 512") + commit + "cp.async.wait_group 1;" +
                         copy("%r5 + 512") + wait,
                     1),
            0u);
  EXPECT_NE(findings(copy("%r5") + wait + copy("%r6") + wait, 1), 0u);
  EXPECT_EQ(findings(copy("%r5") + wait + "bar.warp.sync -1;" + copy("%r6") + wait, 1), 0u);
  EXPECT_NE(findings(copy("%r5") + "setp.lt.u32 %p3, %r2, 31; @%p3 bra over;" + wait +
                         "over: bar.warp.sync -1;" + copy("%r5") + wait,
                     1),
            0u);
}

// Sources and destinations that leave a page, or do not lie side by side.
TEST(WarpCopies, TouchEachByteThatTheyName) {
  for (const std::string from : {"%d2", "%d2 + 256"})
    for (const std::string to : {"%r5", "%r5 + 256", "%r6"}) {
      const std::string lane = "setp.eq.u32 %p3, %r2, ";
      for (const std::string which : {"0", "15", "16", "17", "31"}) {
        const std::string copies = "@%p1 " + copy(to, from) + wait;
        const std::string mine = lane + which + "; and.pred %p3, %p3, %p0; @%p3 ";
        EXPECT_NE(findings(mine + "st.global.u32 [" + from + " + 4], %r2;" + copies, 2), 0u)
            << from << to << which;
        EXPECT_NE(
            findings("bar.sync 0;" + copies + mine + "st.shared.u32 [" + to + " + 4], %r2;", 2), 0u)
            << from << to << which;
      }
    }
  // From every second row, and one row for all.
  const std::string pitch = "add.u64 %d5, %d2, %d2; sub.u64 %d5, %d5, %d4;";
  const std::string write = "@%p0 st.global.v4.u32 [%d2 + 512], " + zeros + ";";
  EXPECT_EQ(findings(write + "@%p1 " + copy("%r5") + wait, 2), 0u);
  EXPECT_NE(findings(write + pitch + "@%p1 " + copy("%r5", "%d5") + wait, 2), 0u);
  EXPECT_NE(findings("cp.async.ca.shared.global [%r1], [%d2], 16;" + wait, 1), 0u);
  EXPECT_NE(findings("setp.ge.and.u32 %p3, %r2, 16, %p0; @%p3 st.global.v4.u32 [%d2], " + zeros +
                         ";" + pitch + "@%p1 " + copy("%r5", "%d5") + wait,
                     2),
            0u);
  // Less of the source than of the destination.
  const std::string words = "@%p0 st.global.u32 [%d2 + 8], %r2;";
  EXPECT_EQ(findings(words + "@%p1 cp.async.ca.shared.global [%r5], [%d2], 16, 8;" + wait, 2), 0u);
  EXPECT_NE(findings(words + "@%p1 " + copy("%r5") + wait, 2), 0u);
  const std::string half = "setp.lt.u32 %p3, %r2, 16; selp.u32 %r16, 16, 8, %p3;";
  EXPECT_EQ(findings("setp.ge.and.u32 %p3, %r2, 16, %p0; @%p3 st.global.u32 [%d2 + 8], %r2;" +
                         half + "@%p1 cp.async.ca.shared.global [%r5], [%d2], 16, %r16;" + wait,
                     2),
            0u);
}

TEST(WarpCopies, OverwriteNoMbarrierAndEndBeforeTheBlock) {
  const std::string init = "setp.eq.u32 %p3, %r2, 0; @%p3 mbarrier.init.shared.b64 [%r1 + 8], 1;";
  EXPECT_NE(findings(init + "bar.sync 0;" + copy("%r5") + wait, 1), 0u);
  EXPECT_EQ(findings(init + "bar.sync 0;" + copy("%r5 + 512") + wait, 1), 0u);
}

TEST(WarpCopies, OverwriteWhatOthersRead) {
  const std::string start = store("", "%r5") + "bar.sync 0;";
  EXPECT_EQ(findings(start + load("", "%r5") + copy("%r5") + wait, 1), 0u);
  EXPECT_NE(findings(start + load("", "%r6") + copy("%r5") + wait, 1), 0u);
  EXPECT_NE(findings(store("", "%r6") + copy("%r5") + wait, 1), 0u);
}

TEST(WarpCopies, ReadWhatOthersWrite) {
  const std::string write = "st.global.v4.u32 [%d2], " + zeros + ";\n";
  EXPECT_EQ(findings("@%p0 " + write + "bar.sync 0; @%p1 " + copy("%r5") + wait, 2), 0u);
  EXPECT_NE(findings("@%p0 " + write + "@%p1 " + copy("%r5") + wait, 2), 0u);
  EXPECT_NE(findings("@%p0 " + copy("%r5") + "bar.sync 0; @%p1 " + write + wait, 2), 0u);
}

// Blocks 0 to 7 read, 8 writes when they have, and 9 reads when that has happened.
TEST(CrowdedPage, IsReadBeforeAnythingWritesIt) {
  const auto run = [](const std::string& poll, const std::string& read,
                      const std::string& again = "", const std::string& writers = "") {
    return findings(R"(mov.u32 %r16, %ctaid.x;
        setp.eq.u32 %p1, %r16, 8; @%p1 bra writes;
        setp.eq.u32 %p1, %r16, 9; @%p1 bra follows;
      )" + read + read + R"(bar.warp.sync -1;
        setp.eq.u32 %p1, %r2, 0; @%p1 red.release.gpu.global.add.u32 [%d1], 1;
      )" + again + R"(bra done;
      writes:
        ld.acquire.gpu.global.u32 %r17, [%d1]; setp.lt.u32 %p1, %r17, 8; @%p1 bra writes;
        mov.u32 %r17, 20000;
      waits:
        add.u32 %r17, %r17, -1; setp.ne.u32 %p1, %r17, 0; @%p1 bra waits;
        )" + writers + R"( st.global.u32 [%d3], %r2; bar.warp.sync -1;
        setp.eq.u32 %p1, %r2, 0; @%p1 red.release.gpu.global.add.u32 [%d1], 1;
        bra done;
      follows:
        ld.)" + poll + R"(.gpu.global.u32 %r17, [%d1]; setp.lt.u32 %p1, %r17, 9; @%p1 bra follows;
      )" + read + "done:",
                    1, 10);
  };
  const std::string plain = "ld.global.v4.u32 " + quads + ", [%d2];\n";
  for (const std::string& read : {plain, copy("%r5") + wait}) {
    EXPECT_EQ(run("acquire", read), 0u) << read;
    EXPECT_NE(run("relaxed", read), 0u) << read;
    EXPECT_NE(run("relaxed", read, "", "setp.lt.u32 %p3, %r2, 16; @%p3"), 0u) << read;
    for (const std::string reader : {"0", "3"})
      EXPECT_NE(run("acquire", read,
                    "setp.ne.u32 %p1, %r16, " + reader + R"(; @%p1 bra done;
          shared: ld.relaxed.gpu.global.u32 %r17, [%d1];
          setp.lt.u32 %p1, %r17, 8; @%p1 bra shared;)" +
                        read),
                0u)
          << "late: " << reader;
  }
}

TEST(OneAddress, AtomicsOfAWarpAreComparedOnce) {
  const std::string add = "@%p1 atom.shared.add.u32 %r12, [%r1], 1;\n";
  const std::string plain = "@%p0 st.shared.u32 [%r3], %r2;\n";
  EXPECT_EQ(findings(plain + "bar.sync 0;" + add + add + "bar.sync 0;" + plain, 2), 0u);
  EXPECT_NE(findings(plain + add, 2), 0u);
  EXPECT_NE(findings("bar.sync 0;" + add + add + plain, 2), 0u);
  EXPECT_NE(findings(add + "setp.eq.and.u32 %p3, %r2, 3, %p1; @%p3 ld.shared.u32 %r13, [%r1];", 2),
            0u)
      << "by other lanes, too";
}

}  // namespace
