// Graphs of kernels whose synchronisation is known: who signals, who waits, how often, with how
// many bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lab/draw/recorded.hpp"

namespace aisp::lab {
namespace {

using exec_kernel::Kernel;
using testing::ElementsAre;
using testing::HasSubstr;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

// Warp 0 copies 256 bytes at a time into a ring of two, warps 1 and 2 read them: five times in
// block 0, `others` times in the other blocks.
std::string ring(int others = 5) {
  return base::say(R"(
    mov.u32 %r10, %ctaid.x;
    setp.eq.u32 %p0, %r10, 0;
    selp.u32 %r11, 5, )",
                   others, R"(, %p0;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra INITED;
    .loc 1 10 0
    mbarrier.init.shared.b64 [%r1], 1;
    mbarrier.init.shared.b64 [%r1+8], 1;
    .loc 1 11 0
    mbarrier.init.shared.b64 [%r1+16], 64;
    mbarrier.init.shared.b64 [%r1+24], 64;
  INITED:
    .loc 1 12 0
    bar.sync 0;
    mov.u32 %r3, 0;
    setp.gt.u32 %p1, %r0, 31;
  LOOP:
    setp.ge.u32 %p3, %r3, %r11;
    @%p3 bra DONE;
    and.b32 %r4, %r3, 1;
    shl.b32 %r5, %r4, 3;
    add.u32 %r6, %r1, %r5;
    shr.u32 %r7, %r3, 1;
    and.b32 %r7, %r7, 1;
    xor.b32 %r8, %r7, 1;
    add.u32 %r3, %r3, 1;
    @%p1 bra CONSUME;
    @%p0 bra DONE;
  EMPTY:
    .loc 1 20 0
    mbarrier.try_wait.parity.shared.b64 %p2, [%r6+16], %r8;
    @!%p2 bra EMPTY;
    .loc 1 21 0
    mbarrier.arrive.expect_tx.shared.b64 %d2, [%r6], 256;
    .loc 1 22 0
    shl.b32 %r9, %r4, 8;
    add.u32 %r9, %r9, %r1;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9+128], [%d0], 256, [%r6];
    bra LOOP;
  CONSUME:
    .loc 1 30 0
    mbarrier.try_wait.parity.shared.b64 %p2, [%r6], %r7;
    @!%p2 bra CONSUME;
    .loc 1 31 0
    mbarrier.arrive.shared.b64 %d2, [%r6+16];
    bra LOOP;
  DONE:
)");
}

TEST(SyncGraph, RingOfTwo) {
  EXPECT_THAT(
      graph_lines({.body = ring(), .block = 96}),
      ElementsAre(
          "role warp 0: bulk loads", "role warps 1-2", "node shared_bytes+0 x2: count 1, 5 phases",
          "node shared_bytes+16 x2: count 64, 5 phases",
          "node __syncthreads x1: 96 threads, 1 phase",
          "warp 0 -> shared_bytes+0: arrive x5, expect 5 x 256 B",
          "warp 0 ~> shared_bytes+0: bulk load 5 x 256 B", "shared_bytes+0 -> warps 1-2: wait x5",
          "warps 1-2 -> shared_bytes+16: arrive x320", "shared_bytes+16 -> warp 0: wait x5",
          "warp 0 <-> __syncthreads: sync x1", "warps 1-2 <-> __syncthreads: sync x1"));
}

TEST(SyncGraph, SaysWhereInTheSource) {
  const SyncGraph graph = sync_graph_of(recorded({.body = ring(), .block = 96}));
  EXPECT_THAT(graph.nodes[0].places, ElementsAre("init at ring.cu:10"));
  EXPECT_THAT(graph.edges[0].places,
              ElementsAre("mbarrier.arrive.expect_tx.shared.b64 at ring.cu:21"));
  EXPECT_THAT(graph.edges[1].places, ElementsAre(HasSubstr("complete_tx::bytes at ring.cu:22")));
  EXPECT_THAT(graph.edges[2].places,
              ElementsAre("mbarrier.try_wait.parity.shared.b64 at ring.cu:30"));
  EXPECT_EQ(graph.kernel, "kernel");
  EXPECT_EQ(graph.extents, "grid 1, 96 threads");
}

// What one changes in the kernel changes in the graph, there and nowhere else.
TEST(SyncGraph, FollowsTheKernel) {
  const auto lines = graph_lines({.body = ring(), .block = 96});
  const auto differs = [&](const std::string& what, const std::string& by) {
    std::vector<std::string> changed;
    for (const auto& line : graph_lines({.body = replaced(ring(), what, by), .block = 96}))
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) changed.push_back(line);
    return changed;
  };
  // Two copies of half the bytes.
  EXPECT_THAT(differs("[%r9+128], [%d0], 256, [%r6];",
                      "[%r9+128], [%d0], 128, [%r6];\n"
                      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                      "[%r9+256], [%d0], 128, [%r6];"),
              ElementsAre("warp 0 ~> shared_bytes+0: bulk load 10 x 128 B"));
  // The bytes complete at another barrier: the kernel hangs, and the graph shows why.
  EXPECT_THAT(differs("256, [%r6];", "256, [%r6+16];"),
              testing::Contains("warp 0 ~> shared_bytes+16: bulk load 2 x 256 B"));
  // A second wait for the same phase, at another place.
  EXPECT_THAT(differs("mbarrier.arrive.shared.b64 %d2, [%r6+16];",
                      "mbarrier.arrive.shared.b64 %d2, [%r6+16], 1;\n.loc 1 32 0\n"
                      "mbarrier.test_wait.parity.shared.b64 %p2, [%r6], %r7;"),
              ElementsAre("shared_bytes+0 -> warps 1-2: wait x10"));
}

TEST(SyncGraph, ArrivalsOfMoreThanOne) {
  std::string body = replaced(ring(), "mbarrier.arrive.shared.b64 %d2, [%r6+16];",
                              "mbarrier.arrive.shared.b64 %d2, [%r6+16], 2;");
  for (const char* init : {"[%r1+16], 64;", "[%r1+24], 64;"})
    body = replaced(body, init, std::string(init, 9) + " 128;");
  const auto lines = graph_lines({.body = body, .block = 96});
  EXPECT_THAT(lines, testing::Contains("node shared_bytes+16 x2: count 128, 5 phases"));
  EXPECT_THAT(lines, testing::Contains("warps 1-2 -> shared_bytes+16: arrive x640"));
}

TEST(SyncGraph, ShowsWhatAKernelDidThatHangs) {
  const SyncRecord record = recorded(
      {.body = replaced(ring(), "mbarrier.arrive.expect_tx.shared.b64 %d2, [%r6], 256;", ""),
       .block = 96});
  EXPECT_TRUE(record.stopped);
  const SyncGraph graph = sync_graph_of(record);
  EXPECT_THAT(graph.notes, ElementsAre(HasSubstr("a fault stopped the kernel")));
  EXPECT_THAT(lines_of(graph), testing::Contains("warp 0 ~> shared_bytes+0: bulk load 2 x 256 B"));
}

TEST(SyncGraph, BlocksThatDoLessArePartOfTheSpread) {
  // Block 1 fills one stage only: its ring is the other's, and so are its roles.
  const auto lines = graph_lines({.body = ring(1), .grid = 2, .block = 96});
  EXPECT_THAT(lines, testing::Contains("node shared_bytes+0 x2: count 1, 1..5 phases"));
  EXPECT_THAT(lines, testing::Contains("warp 0 ~> shared_bytes+0: bulk load 1..5 x 256 B"));
  EXPECT_THAT(lines, testing::Contains("warps 1-2 -> shared_bytes+16: arrive x64..320"));
  EXPECT_EQ(lines.size(), 12u);
  // And here it does nothing at all but meet at the barrier.
  const auto idle = graph_lines({.body = ring(0), .grid = 2, .block = 96});
  EXPECT_THAT(idle, testing::Contains("role warps 1-2"));
  EXPECT_THAT(idle, testing::Contains("node shared_bytes+0 x2: count 1, 0..5 phases"));
  EXPECT_THAT(idle, testing::Contains("shared_bytes+16 -> warp 0: wait x0..5"));
  EXPECT_EQ(idle.size(), 12u);
}

TEST(SyncGraph, IsTheSameForEverySchedule) {
  const Kernel kernel{.body = ring(3), .grid = 5, .block = 96};
  const auto lines = graph_lines(kernel);
  EXPECT_EQ(graph_lines(kernel, {.order = sim::Order::latest}), lines);
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_EQ(graph_lines(kernel, {.order = sim::Order::random, .seed = seed}), lines) << seed;
}

TEST(SyncGraph, NamedBarriers) {
  EXPECT_THAT(
      graph_lines({.body = R"(
    shr.u32 %r2, %r0, 5;
    setp.lt.u32 %p0, %r2, 2;
    @%p0 bra PAIR;
    setp.eq.u32 %p1, %r2, 2;
    @%p1 bra ARRIVE;
    bar.sync 2, 64;
    bra DONE;
  ARRIVE:
    bar.arrive 2, 64;
    bra DONE;
  PAIR:
    bar.sync 1, 64;
    bar.sync 1, 64;
  DONE:
)",
                   .block = 128}),
      ElementsAre("role warps 0-1", "role warp 2", "role warp 3",
                  "node barrier 1 x1: 64 "
                  "threads, 2 phases",
                  "node barrier 2 x1: 64 threads, 1 phase", "warps 0-1 <-> barrier 1: sync x2",
                  "warp 2 -> barrier 2: arrive x1", "warp 3 <-> barrier 2: sync x1"));
}

// Both blocks of a cluster arrive at the first one's mbarrier; its thread 0 alone waits there.
TEST(SyncGraph, RemoteArrivalsAndBlocksThatDiffer) {
  const auto lines = graph_lines({.body = R"(
    mov.u32 %r2, %cluster_ctarank;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra INITED;
    mbarrier.init.shared.b64 [%r1], 2;
  INITED:
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    @%p0 bra DONE;
    mapa.shared::cluster.u32 %r3, %r1, 0;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra DONE;
  WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r1], 0;
    @!%p2 bra WAIT;
  DONE:
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
)",
                                  .grid = 6,
                                  .cluster = 2});
  EXPECT_THAT(
      lines,
      ElementsAre("role warp 0 of block 0 of the cluster", "role warp 0 of block 1 of the cluster",
                  "node shared_bytes+0 x1: count 2, 0..1 phases",
                  "node cluster barrier x1: 64 threads, 2 phases",
                  "warp 0 of block 0 of the cluster -> shared_bytes+0: arrive x1",
                  "warp 0 of block 1 of the cluster -> shared_bytes+0: arrive x1 at other "
                  "blocks",
                  "shared_bytes+0 -> warp 0 of block 0 of the cluster: wait x1",
                  "warp 0 of block 0 of the cluster <-> cluster barrier: sync x2",
                  "warp 0 of block 1 of the cluster <-> cluster barrier: sync x2"));
}

TEST(SyncGraph, CopiesAndStoresOfLanesThatArrive) {
  const auto lines = graph_lines({.body = R"(
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra INITED;
    mbarrier.init.shared.b64 [%r1], 32;
    mbarrier.init.shared.b64 [%r1+8], 1;
  INITED:
    bar.sync 0;
    shl.b32 %r2, %r0, 2;
    cvt.u64.u32 %d2, %r2;
    add.u64 %d3, %d0, %d2;
    add.u32 %r3, %r1, %r2;
    cp.async.ca.shared.global [%r3+128], [%d3], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];
  COPIED:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 0;
    @!%p2 bra COPIED;
    @%p0 bra STORE;
    mbarrier.arrive.expect_tx.shared.b64 %d4, [%r1+8], 128;
  STORE:
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3+256], %r0, [%r1+8];
  STORED:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r1+8], 0;
    @!%p2 bra STORED;
)"});
  EXPECT_THAT(
      lines,
      ElementsAre("role warp 0: cp.async, st.async", "node shared_bytes+0 x1: count 32, 1 phase",
                  "node shared_bytes+8 x1: count 1, 1 phase",
                  "node __syncthreads x1: 32 threads, 1 phase",
                  "warp 0 ~> shared_bytes+0: cp.async x32", "shared_bytes+0 -> warp 0: wait x1",
                  "warp 0 -> shared_bytes+8: arrive x1, expect 1 x 128 B",
                  "warp 0 ~> shared_bytes+8: st.async 32 x 4 B",
                  "shared_bytes+8 -> warp 0: wait x1", "warp 0 <-> __syncthreads: sync x1"));
}

// Two barriers from one line, each of a warp of its own; block 1 leaves the second out. That one is
// no second stage of the first.
TEST(SyncGraph, WhatABlockLeavesOutIsWhatLiesThereInTheOthers) {
  const auto lines = graph_lines({.body = R"(
    .loc 1 10 0
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra INITED;
    mbarrier.init.shared.b64 [%r1], 32;
    mbarrier.init.shared.b64 [%r1+8], 32;
  INITED:
    .loc 1 12 0
    bar.sync 0;
    mov.u32 %r2, %ctaid.x;
    setp.lt.u32 %p0, %r0, 32;
    @%p0 bra FIRST;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra DONE;
    .loc 1 20 0
    mbarrier.arrive.shared.b64 %d2, [%r1+8];
    bra DONE;
  FIRST:
    .loc 1 30 0
    mbarrier.arrive.shared.b64 %d2, [%r1];
  DONE:
)",
                                  .grid = 2,
                                  .block = 64});
  EXPECT_THAT(lines, testing::Contains("node shared_bytes+0 x1: count 32, 1 phase"));
  EXPECT_THAT(lines, testing::Contains("node shared_bytes+8 x1: count 32, 0..1 phases"));
}

TEST(SyncGraph, GridsBeforeAndBehind) {
  EXPECT_THAT(graph_lines({.body = "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\n"
                                   "st.global.u32 [%d1], %r0;\n"}),
              ElementsAre("role warp 0: global stores", "node the grid before x1: ",
                          "node the grid behind x1: ", "the grid before -> warp 0: wait x1",
                          "warp 0 -> the grid behind: arrive x1"));
}

TEST(SyncGraph, AKernelWithoutBarriersHasNoEvents) {
  const SyncRecord record = recorded({.body = "st.global.u32 [%d1], %r0;\n"});
  EXPECT_EQ(record.events(), 0);
  EXPECT_TRUE(sync_graph_of(record).roles.empty());
}

}  // namespace
}  // namespace aisp::lab
