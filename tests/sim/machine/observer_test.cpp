// What an observer of a grid is told, call by call: memory, fences, barriers.
#include "tests/sim/machine/observer_recorder.hpp"

using namespace aisp;

namespace {

using namespace observer_recorder;
using testing::ElementsAre;

TEST(Observer, LifeOfACluster) {
  Watched watched;
  watch(watched, {.body = "setp.lt.u32 %p0, %r0, 8;\n@%p0 exit;\n", .grid = 2});
  EXPECT_THAT(watched.recorder.lines,
              ElementsAre("started", "left w0 ff", "left w0 ffffff00", "done", "started",
                          "left w0 ff", "left w0 ffffff00", "done"));
}

TEST(Observer, FaultsAndDeadlocks) {
  Watched fault;
  watch(fault, {.body = "mov.u64 %d2, 64;\nld.global.u32 %r2, [%d2];\n"});
  ASSERT_EQ(fault.recorder.lines.size(), 2u);
  EXPECT_THAT(fault.recorder.lines[1],
              testing::StartsWith("stopped out-of-bounds read of 4 bytes"));
  Watched deadlock;
  watch(deadlock, {.body = "bar.sync 0, 64;\n"});
  ASSERT_EQ(deadlock.recorder.lines.size(), 3u);
  EXPECT_EQ(deadlock.recorder.lines[1], "arrived w0 ffffffff 0 1");
  EXPECT_THAT(deadlock.recorder.lines[2], testing::StartsWith("stopped deadlock"));
}

TEST(Observer, StoreBarrierLoad) {
  EXPECT_THAT(heard({.body = own_words + "st.shared.u32 [%r2], %r0;\nbar.sync 1;\n" +
                             "ld.shared.v2.u32 {%r3, %r4}, [%r1];\nbar.arrive 2, 64;\n",
                     .block = 64}),
              ElementsAre("run w0 write weak - 4 shared+0 step 4", "arrived w0 ffffffff 1 1",
                          "run w1 write weak - 4 shared+128 step 4", "arrived w1 ffffffff 1 1",
                          "passed w1 ffffffff 1 1", "run w1 read weak - 8 shared+0 step 0",
                          "arrived w1 ffffffff 2 1", "passed w0 ffffffff 1 1",
                          "run w0 read weak - 8 shared+0 step 0", "arrived w0 ffffffff 2 1"));
}

TEST(Observer, BarrierPhasesCountFromOne) {
  EXPECT_THAT(
      heard_of("bar.sync 0;\nbar.red.popc.u32 %r2, 0, 1;\nbarrier.sync 0;\n"),
      ElementsAre("arrived w0 ffffffff 0 1", "passed w0 ffffffff 0 1", "arrived w0 ffffffff 0 2",
                  "passed w0 ffffffff 0 2", "arrived w0 ffffffff 0 3", "passed w0 ffffffff 0 3"));
}

TEST(Observer, LanesThatDiverge) {
  EXPECT_THAT(heard_of(own_words + "setp.lt.u32 %p0, %r0, 4;\n@%p0 ld.global.u32 %r3, [%d2+8];\n"),
              ElementsAre("access w0 f read weak - 4 in+8"));
}

TEST(Observer, OrdersAndScopes) {
  EXPECT_THAT(
      heard_of(
          first_lane +
          "@%p0 ld.relaxed.cta.global.u32 %r2, [%d0];\n@%p0 ld.acquire.cluster.u32 %r2, [%d0];\n"
          "@%p0 st.release.gpu.global.u32 [%d0], %r2;\n@%p0 ld.volatile.global.u32 %r2, [%d0];\n"
          "@%p0 ld.relaxed.sys.global.u32 %r2, [%d0];\n@%p0 ld.global.nc.u32 %r2, [%d0];\n"
          "@%p0 atom.global.add.u32 %r2, [%d0], 1;\n"
          "@%p0 atom.acq_rel.sys.global.cas.b64 %d3, [%d0], %d4, %d5;\n"
          "@%p0 red.release.cta.shared.add.u32 [%r1+4], 1;\n"
          "@%p0 red.relaxed.cluster.global.add.noftz.v2.f16x2 [%d0], {%r2, %r3};\n"),
      ElementsAre("access w0 1 read relaxed cta 4 in+0", "access w0 1 read acquire cluster 4 in+0",
                  "access w0 1 write release gpu 4 in+0", "access w0 1 read volatile sys 4 in+0",
                  "access w0 1 read relaxed sys 4 in+0", "access w0 1 read weak - 4 in+0",
                  "access w0 1 atomic relaxed gpu 4 in+0", "access w0 1 atomic acq_rel sys 8 in+0",
                  "access w0 1 atomic release cta 4 shared+4",
                  "access w0 1 atomic relaxed cluster 8 in+0"));
}

// Local memory and parameters are nobody else's, and constants are told apart; of mixed lanes the
// others count.
TEST(Observer, PrivateMemoryIsLeftOut) {
  EXPECT_THAT(heard({.body = R"(
    ld.param.u32 %r2, [in];
    mov.b64 %d2, in;
    ld.param.u64 %d3, [%d2];
    ld.const.u32 %r2, [table];
    st.local.u32 [local_bytes], %r2;
    mov.u64 %d4, local_bytes;
    cvta.local.u64 %d4, %d4;
    st.u32 [%d4], %r2;
    setp.lt.u32 %p0, %r0, 16;
    selp.b64 %d5, %d4, %d1, %p0;
    st.u32 [%d5], %r2;
  )",
                     .before = ".const .u32 table[4];"}),
              ElementsAre("constant w0 ffffffff 4", "access w0 ffff0000 write weak - 4 out+0"));
}

TEST(Observer, ToldOfWhatWasWritten) {
  Watched watched;
  watched.recorder.suspecting = true;
  watch(watched,
        {.body = own_words +
                 "st.global.u32 [%d2], %r0;\nst.global.v4.u32 [%d0], {%r0, %r0, %r0, %r0};\n"
                 "ld.global.u32 %r3, [%d2];\natom.global.add.u32 %r3, [%d2], 1;\n"});
  EXPECT_THAT(watched.recorder.lines, ElementsAre("started", "run w0 write weak - 4 in+0 step 4",
                                                  "wrote w0", "run w0 write weak - 16 in+0 step 0",
                                                  "wrote w0", "run w0 read weak - 4 in+0 step 4",
                                                  "access w0 ffffffff atomic relaxed gpu 4 in+0",
                                                  "wrote w0", "left w0 ffffffff", "done"));
}

TEST(Observer, Matrices) {
  EXPECT_THAT(heard_of("mad.lo.u32 %r2, %r0, 16, %r1;\n"
                       "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r3, %r4}, [%r2];\n"
                       "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2+256], {%r3};\n"),
              ElementsAre("access w0 ffff read weak - 16 shared+0",
                          "access w0 ff write weak - 16 shared+256"));
  // Pairs of neighbours in a row: four registers of 4 bytes.
  EXPECT_THAT(heard_of("wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {%r3, %r4}, [%r1], 16;\n"),
              ElementsAre("access w0 ffffffff read weak - 4 shared+0",
                          "access w0 ffffffff read weak - 4 shared+128"));
}

TEST(Observer, LanesThatMeet) {
  Watched watched;
  watched.recorder.collectives = true;
  watch(watched,
        {.body = "shfl.sync.idx.b32 %r3, %r0, 0, 31, -1;\nbar.warp.sync -1;\n" + first_lane +
                 "@%p0 bra ONE;\nbar.warp.sync -1;\nbra END;\nONE: bar.warp.sync -1;\n"
                 "END: elect.sync %r3|%p1, -1;\n"});
  EXPECT_THAT(watched.recorder.lines,
              ElementsAre("started", "collective w0 ffffffff", "warp_barrier w0 ffffffff",
                          "warp_barrier w0 ffffffff", "collective w0 ffffffff", "left w0 ffffffff",
                          "done"));
}

TEST(Observer, Fences) {
  EXPECT_THAT(
      heard_of("fence.sc.gpu;\nfence.acq_rel.cta;\nfence.acquire.cluster;\nfence.release.sys;\n"
               "membar.cta;\nmembar.gl;\nmembar.sys;\nfence.proxy.async;\n"
               "fence.proxy.async.global;\nfence.proxy.async.shared::cta;\n"
               "fence.mbarrier_init.release.cluster;\nfence.proxy.alias;\n"
               "fence.acquire.sync_restrict::shared::cluster.cluster;\n"
               "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\n"
               "fence.proxy.tensormap::generic.release.gpu;\n"
               "fence.proxy.tensormap::generic.acquire.sys [%d0], 128;\n"),
      ElementsAre(
          "fence w0 ffffffff thread acq_rel gpu sc", "fence w0 ffffffff thread acq_rel cta -",
          "fence w0 ffffffff thread acquire cluster -", "fence w0 ffffffff thread release sys -",
          "fence w0 ffffffff thread acq_rel cta sc", "fence w0 ffffffff thread acq_rel gpu sc",
          "fence w0 ffffffff thread acq_rel sys sc", "fence w0 ffffffff async_all acq_rel cta -",
          "fence w0 ffffffff async_global acq_rel cta -",
          "fence w0 ffffffff async_shared acq_rel cta -",
          "fence w0 ffffffff mbarrier_init release cluster -",
          "fence w0 ffffffff thread acquire cluster -",
          "fence w0 ffffffff async_shared release cluster -",
          "fence w0 ffffffff tensormap_release release gpu -",
          "fence w0 ffffffff tensormap_acquire acquire sys -"));
}

TEST(Observer, RegistersAndDependencies) {
  EXPECT_THAT(heard_of("setmaxnreg.dec.sync.aligned.u32 40;\nsetmaxnreg.inc.sync.aligned.u32 232;\n"
                       "griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\n"),
              ElementsAre("registers w0 dec 40", "registers w0 inc 232", "release w0 ffffffff",
                          "depend w0 ffffffff"));
}

TEST(Observer, ClusterBarrier) {
  EXPECT_THAT(
      heard({.body = "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait;\n"
                     "barrier.cluster.arrive;\nbarrier.cluster.wait.acquire.aligned;\n",
             .grid = 2,
             .cluster = 2}),
      ElementsAre("cluster_arrived b0 w0 ffffffff 1 relaxed",
                  "cluster_arrived b1 w0 ffffffff 1 relaxed", "cluster_passed b1 w0 ffffffff 1",
                  "cluster_arrived b1 w0 ffffffff 2 release", "cluster_passed b0 w0 ffffffff 1",
                  "cluster_arrived b0 w0 ffffffff 2 release", "cluster_passed b0 w0 ffffffff 2",
                  "cluster_passed b1 w0 ffffffff 2"));
}

TEST(Observer, MBarrier) {
  EXPECT_THAT(
      heard({.body = first_lane + R"(
    @%p0 mbarrier.init.shared.b64 [%r1], 2;
    setp.lt.u32 %p1, %r0, 2;
    @%p1 mbarrier.arrive.shared.b64 _, [%r1];
    mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 0;
    mbarrier.test_wait.parity.relaxed.cta.shared.b64 %p2, [%r1], 1;
    @%p0 mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 16;
    @%p0 mbarrier.arrive.relaxed.cta.shared.b64 _, [%r1], 1;
    @%p0 mbarrier.inval.shared.b64 [%r1];
  )"}),
      ElementsAre("init w0 0 0:0 2", "applied w0 3 release 0:0 arrive 2 completes",
                  "tested w0 ffffffff 0:0 0 yes acquire", "tested w0 ffffffff 0:0 1 no relaxed",
                  "tested w0 ffffffff 0:0 1 no relaxed", "applied w0 1 relaxed 0:0 expect_tx 16 -",
                  "applied w0 1 relaxed 0:0 arrive 1 -", "inval w0 0 0:0"));
  // Lanes arrive one by one where a phase completes among them.
  EXPECT_THAT(heard({.body = first_lane + R"(
    @%p0 mbarrier.init.shared.b64 [%r1], 2;
    setp.lt.u32 %p1, %r0, 3;
    @%p1 mbarrier.arrive.shared.b64 _, [%r1];
  )"}),
              ElementsAre("init w0 0 0:0 2", "applied w0 1 release 0:0 arrive 1 -",
                          "applied w0 2 release 0:0 arrive 1 completes",
                          "applied w0 4 release 0:0 arrive 1 -"));
}

// Lanes at two barriers: one answer each. The first no is told, not those of later attempts.
TEST(Observer, WaitsAtTwoMBarriers) {
  const Lines lines = heard({.body = R"(
    setp.eq.u32 %p0, %r0, 0;
    @%p0 mbarrier.init.shared.b64 [%r1], 1;
    @%p0 mbarrier.init.shared.b64 [%r1+8], 1;
    @%p0 mbarrier.init.shared.b64 [%r1+16], 1;
    bar.sync 0;
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra WAIT;
    @%p0 mbarrier.arrive.shared.b64 _, [%r1+16];
    mbarrier.try_wait.parity.shared.b64 %p2, [%r1+16], 0;
    @%p0 mbarrier.arrive.shared.b64 _, [%r1+8];
    bra END;
    WAIT: and.b32 %r2, %r0, 1;
    mad.lo.u32 %r2, %r2, 8, %r1;
    mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;
    END:
  )",
                             .block = 64});
  ASSERT_GT(lines.size(), 6u);
  EXPECT_THAT(
      Lines(lines.begin() + 6, lines.end()),
      ElementsAre("tested w1 55555555 0:0 0 no acquire", "tested w1 aaaaaaaa 0:8 0 no acquire",
                  "passed w0 ffffffff 0 1", "applied w0 1 release 0:16 arrive 1 completes",
                  "tested w0 ffffffff 0:16 0 yes acquire",
                  "applied w0 1 release 0:8 arrive 1 completes",
                  "tested w1 aaaaaaaa 0:8 0 yes acquire", "tested w1 55555555 0:0 0 no acquire"));
}

}  // namespace
