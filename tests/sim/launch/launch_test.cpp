// Grids, blocks and clusters: what each thread is told about its place, and what reaches where.
#include "tests/sim/support/run_orders.hpp"

using namespace aisp;

namespace {

using namespace run_orders;

// Writes one special register of every thread: thread number in the grid of grids -> value.
Words special(const std::string& name, Kernel kernel) {
  kernel.body = R"(
    mov.u32 %r2, %ctaid.z; mov.u32 %r3, %nctaid.y; mov.u32 %r4, %ctaid.y;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ctaid.x;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    mov.u32 %r3, %ntid.z; mov.u32 %r4, %tid.z;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    mov.u32 %r3, %ntid.y; mov.u32 %r4, %tid.y;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r2, %r2, %r3, %r0;
    mov.u32 %r9, )" +
                name + ";\nmad.wide.u32 %d9, %r2, 4, %d1;\nst.global.u32 [%d9], %r9;\n";
  return in_all_orders(kernel);
}

struct Place {
  sim::Dim3 block, thread;
  std::uint32_t number;  // in the block
};

Place place_of(std::uint32_t index, const sim::Dim3& grid, const sim::Dim3& block) {
  const auto size = static_cast<std::uint32_t>(block.count());
  const std::uint32_t b = index / size, t = index % size;
  return {{b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y},
          {t % block.x, t / block.x % block.y, t / block.x / block.y},
          t};
}

TEST(Launch, EveryThreadKnowsItsPlace) {
  const sim::Dim3 grid{4, 6, 3}, block{5, 3, 3}, cluster{2, 3, 1};
  const auto count = static_cast<std::uint32_t>(grid.count() * block.count());
  const Kernel kernel{.body = "",
                      .grid = grid.x,
                      .block = block.x,
                      .cluster = cluster.x,
                      .out_words = count,
                      .grid_yz = grid,
                      .block_yz = block,
                      .cluster_yz = cluster};
  using F = std::function<std::uint32_t(const Place&)>;
  const std::pair<const char*, F> expected[] = {
      {"%tid.x", [](const Place& p) { return p.thread.x; }},
      {"%tid.y", [](const Place& p) { return p.thread.y; }},
      {"%tid.z", [](const Place& p) { return p.thread.z; }},
      {"%ntid.x", [](const Place&) { return 5; }},
      {"%ntid.y", [](const Place&) { return 3; }},
      {"%ntid.z", [](const Place&) { return 3; }},
      {"%ctaid.x", [](const Place& p) { return p.block.x; }},
      {"%ctaid.y", [](const Place& p) { return p.block.y; }},
      {"%ctaid.z", [](const Place& p) { return p.block.z; }},
      {"%nctaid.x", [](const Place&) { return 4; }},
      {"%nctaid.y", [](const Place&) { return 6; }},
      {"%nctaid.z", [](const Place&) { return 3; }},
      {"%laneid", [](const Place& p) { return p.number % 32; }},
      {"%warpid", [](const Place& p) { return p.number / 32; }},
      {"%lanemask_eq", [](const Place& p) { return 1u << p.number % 32; }},
      {"%lanemask_lt", [](const Place& p) { return (1u << p.number % 32) - 1; }},
      {"%lanemask_le", [](const Place& p) { return (2u << p.number % 32) - 1; }},
      {"%lanemask_gt", [](const Place& p) { return ~((2u << p.number % 32) - 1); }},
      {"%lanemask_ge", [](const Place& p) { return ~((1u << p.number % 32) - 1); }},
      {"%clusterid.x", [](const Place& p) { return p.block.x / 2; }},
      {"%clusterid.y", [](const Place& p) { return p.block.y / 3; }},
      {"%clusterid.z", [](const Place& p) { return p.block.z; }},
      {"%nclusterid.x", [](const Place&) { return 2; }},
      {"%nclusterid.y", [](const Place&) { return 2; }},
      {"%nclusterid.z", [](const Place&) { return 3; }},
      {"%cluster_ctaid.x", [](const Place& p) { return p.block.x % 2; }},
      {"%cluster_ctaid.y", [](const Place& p) { return p.block.y % 3; }},
      {"%cluster_ctaid.z", [](const Place&) { return 0; }},
      {"%cluster_nctaid.x", [](const Place&) { return 2; }},
      {"%cluster_nctaid.y", [](const Place&) { return 3; }},
      {"%cluster_nctaid.z", [](const Place&) { return 1; }},
      {"%cluster_ctarank", [](const Place& p) { return p.block.x % 2 + p.block.y % 3 * 2; }},
      {"%cluster_nctarank", [](const Place&) { return 6; }},
      {"%nsmid", [](const Place&) { return 132; }},
      {"%nwarpid", [](const Place&) { return 64; }},
  };
  for (const auto& [name, value] : expected)
    EXPECT_EQ(special(name, kernel),
              words(count, [&](std::uint32_t i) { return value(place_of(i, grid, block)); }))
        << name;
}

TEST(Launch, BlocksThatEndWithinAWarp) {
  for (const std::uint32_t threads : {1u, 31u, 32u, 33u, 63u, 1000u, 1024u}) {
    const Words out = in_all_orders({.body = "activemask.b32 %r9;\nbar.sync 0;\n" + put,
                                     .block = threads,
                                     .out_words = threads});
    EXPECT_EQ(out, words(threads, [&](std::uint32_t i) {
                const std::uint32_t here = std::min(32u, threads - i / 32 * 32);
                return here == 32 ? 0xffffffffu : (1u << here) - 1;
              }));
  }
}

TEST(Launch, DynamicSharedMemoryIsWhatWasAskedFor) {
  const Kernel kernel{.body = "mov.u32 %r9, %dynamic_smem_size;\n" + put, .dynamic = 4096};
  EXPECT_EQ(in_all_orders(kernel)[0], 4096u);
}

// Every block of a cluster of 16 reads from, and counts at, every other one.
TEST(Launch, SharedMemoryOfAClusterOfSixteen) {
  const Words out = in_all_orders({.body = R"(
    mov.u32 %r2, %cluster_ctarank;
    setp.ne.u32 %p0, %r0, 0;
    add.u32 %r3, %r2, 100;
    @!%p0 st.shared.u32 [%r1], %r3;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    setp.ge.u32 %p1, %r0, 16;
    @%p1 bra WAIT;
    mapa.shared::cluster.u32 %r4, %r1, %r0;
    getctarank.shared::cluster.u32 %r5, %r4;
    ld.shared::cluster.u32 %r6, [%r4];
    mad.lo.u32 %r6, %r5, 1000, %r6;
    atom.shared::cluster.add.u32 %r7, [%r4+4], %r2;
    red.shared::cluster.max.u32 [%r4+8], %r2;
    mad.lo.u32 %r8, %r2, 16, %r0;
    mad.wide.u32 %d9, %r8, 4, %d1;
    st.global.u32 [%d9], %r6;
    WAIT: barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    @%p0 bra DONE;
    ld.shared.u32 %r6, [%r1+4];
    ld.shared.u32 %r7, [%r1+8];
    mad.lo.u32 %r6, %r7, 1000, %r6;
    mad.wide.u32 %d9, %r2, 4, %d1;
    st.global.u32 [%d9+1024], %r6;
    DONE:
  )",
                                   .grid = 16,
                                   .block = 64,
                                   .cluster = 16,
                                   .out_words = 256 + 16});
  for (std::uint32_t i = 0; i < 256; ++i) EXPECT_EQ(out[i], i % 16 * 1001 + 100);
  for (int block = 0; block < 16; ++block) EXPECT_EQ(out[256 + block], 15120u);
}

TEST(Launch, ThreadsThatExitedAreAtTheClusterBarrier) {
  const Words out = in_all_orders({.body = R"(
    mov.u32 %r2, %cluster_ctarank;
    setp.eq.u32 %p0, %r2, 1;
    setp.ge.u32 %p1, %r0, 40;
    and.pred %p0, %p0, %p1;
    @%p0 exit;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r9, 3;
  )" + put,
                                   .grid = 2,
                                   .block = 64,
                                   .cluster = 2});
  EXPECT_EQ(out, Words(64, 3u));
}

}  // namespace
