// What an observer of a grid is told, call by call: asynchronous copies, products, tensor maps.
#include "sim/machine/tensor_map.hpp"
#include "tests/sim/machine/observer_recorder.hpp"

using namespace aisp;

namespace {

using namespace observer_recorder;
using testing::ElementsAre;

TEST(Observer, CopiesAndTheirGroups) {
  const std::string body = own_words + R"(
    setp.lt.u32 %p0, %r0, 2;
    mov.u32 %r3, %r0;
    @%p0 cp.async.ca.shared.global [%r2], [%d2], 4, %r3;
    @%p0 cp.async.commit_group;
    @%p0 cp.async.wait_group 0;
    cp.async.wait_all;
  )";
  const Lines copy = {"async # 1 write shared+0 4 lane 0 -", "async # 1 read in+4 1 lane 1 -",
                      "async # 1 write shared+4 4 lane 1 -", "ran # 1"};
  Lines early = {"issued w0 3 copy # 1"};
  early.insert(early.end(), copy.begin(), copy.end());
  early.insert(early.end(),
               {"committed w0 3 copy", "waited w0 3 copy 0 -", "waited_all w0 ffffffff copy"});
  EXPECT_EQ(heard_of(body), early);
  Lines late = {"issued w0 3 copy # 1", "committed w0 3 copy"};
  late.insert(late.end(), copy.begin(), copy.end());
  late.insert(late.end(), {"waited w0 3 copy 0 -", "waited_all w0 ffffffff copy"});
  EXPECT_EQ(heard_of(body, latest), late);
}

TEST(Observer, CopiesThatArrive) {
  EXPECT_THAT(
      heard_of(own_words + first_lane + R"(
    @%p0 mbarrier.init.shared.b64 [%r1+512], 1;
    @%p0 cp.async.ca.shared.global [%r2], [%d2], 8;
    @%p0 cp.async.mbarrier.arrive.shared.b64 [%r1+512];
    @%p0 cp.async.mbarrier.arrive.noinc.shared.b64 [%r1+512];
    @%p0 cp.async.wait_all;
  )",
               latest),
      ElementsAre("init w0 0 0:512 1", "issued w0 1 copy # 1",
                  "applied w0 1 relaxed 0:512 await_more 1 -", "will_arrive w0 0",
                  "will_arrive w0 0", "async # 1 read in+0 8 lane 0 -",
                  "async # 1 write shared+0 8 lane 0 -", "ran # 1",
                  "applied acting 0 arriving 70 0:512 arrive 1 -",
                  "applied acting 0 arriving 70 0:512 arrive 1 completes", "waited_all w0 1 copy"));
}

TEST(Observer, BulkLoad) {
  EXPECT_THAT(heard_of(first_lane + R"(
    @%p0 mbarrier.init.shared.b64 [%r1], 1;
    @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 128;
    add.u32 %r3, %r1, 128;
    @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%d0], 128, [%r1];
    mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;
  )",
                       latest),
              ElementsAre("init w0 0 0:0 1", "applied w0 1 relaxed 0:0 expect_tx 128 -",
                          "applied w0 1 release 0:0 arrive 1 -", "named w0 0 0:0",
                          "issued w0 1 bulk_load # 1", "tested w0 ffffffff 0:0 0 no acquire",
                          "async # 1 read in+0 128 lane -1 0:0",
                          "async # 1 write shared+128 128 lane -1 0:0",
                          "applied acting 1 arriving 0 0:0 complete_tx 128 completes", "ran # 1",
                          "tested w0 ffffffff 0:0 0 yes acquire"));
}

TEST(Observer, BulkStoreReadsFirst) {
  EXPECT_THAT(
      heard_of(first_lane + R"(
    @%p0 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 64;
    @%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r1], 16;
    @%p0 cp.async.bulk.commit_group;
    @%p0 cp.async.bulk.wait_group.read 0;
    @%p0 cp.async.bulk.wait_group 0;
  )",
               latest),
      ElementsAre("issued w0 1 bulk_store # 1", "issued w0 1 bulk_store # 2",
                  "committed w0 1 bulk_store", "async # 1 read shared+0 64 lane -1 -",
                  "async # 2 read shared+0 16 lane -1 -", "waited w0 1 bulk_store 0 read",
                  "async # 1 write out+0 64 lane -1 -", "ran # 1",
                  "async # 2 atomic out+0 16 lane -1 -", "ran # 2", "waited w0 1 bulk_store 0 -"));
}

TEST(Observer, AsynchronousStoreOfALane) {
  EXPECT_THAT(heard_of(first_lane + R"(
    @%p0 mbarrier.init.shared.b64 [%r1], 1;
    @%p0 st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r1+16], {%r0, %r0}, [%r1];
  )"),
              ElementsAre("init w0 0 0:0 1", "named w0 0 0:0", "issued w0 1 lane_store # 1",
                          "async # 1 write shared+16 8 lane -1 0:0",
                          "applied acting 1 arriving 0 0:0 complete_tx 8 -", "ran # 1"));
}

// 64 x 8 x 16, no swizzle. A is 2048 bytes of which each warp reads 512, B 256 bytes behind it.
TEST(Observer, Products) {
  const Lines lines = heard({.body = R"(
    cvta.to.shared.u64 %d4, %d0;
    shr.u32 %r4, %r1, 4;
    and.b32 %r4, %r4, 0x3fff;
    cvt.u64.u32 %d2, %r4;
    or.b64 %d2, %d2, 0x0000001000080000;
    add.u64 %d3, %d2, 128;
    mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; add.f32 %f3, %f0, %f0;
    add.u64 %d5, %d3, %d3;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d2, %d3, 1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    add.f32 %f4, %f0, %f0;
  )",
                             .before = "",
                             .block = 128,
                             .dynamic = 8192},
                            latest);
  const auto of = [&](const std::string& start) {
    Lines found;
    for (const std::string& line : lines)
      if (line.starts_with(start)) found.push_back(line);
    return found;
  };
  // Warps run from the last to the first; the first whose wait ends completes the products of all.
  // Three moves and two sums of accumulators; a sum of descriptors is none.
  EXPECT_EQ(of("register w3"), Lines(5, "register w3 ffffffff"));
  EXPECT_EQ(of("wgmma_fence").size(), 4u);
  EXPECT_EQ(of("product w").size(), 4u);
  EXPECT_EQ(of("issued w2"), Lines{"issued w2 ffffffff product # 2"});
  EXPECT_EQ(of("async # 1"), (Lines{"async # 1 read shared+1536 512 lane -1 -",
                                    "async # 1 read shared+2048 256 lane -1 -"}));
  EXPECT_EQ(of("async # 4"), (Lines{"async # 4 read shared+0 512 lane -1 -",
                                    "async # 4 read shared+2048 256 lane -1 -"}));
  EXPECT_EQ(of("committed w1"), Lines{"committed w1 ffffffff product"});
  EXPECT_EQ(of("waited"),
            (Lines{"waited w0 ffffffff product 0 -", "waited w3 ffffffff product 0 -",
                   "waited w2 ffffffff product 0 -", "waited w1 ffffffff product 0 -"}));
  EXPECT_EQ(of("products"), Lines(4, "products 0 1"));
}

TEST(Observer, TensorMapsThatKernelsChange) {
  EXPECT_THAT(
      heard_of(first_lane + R"(
    @%p0 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r1], 1;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d1], [%r1], 128;
  )"),
      ElementsAre("access w0 1 read weak - 128 shared+0", "access w0 1 write weak - 128 shared+0",
                  "access w0 1 read weak - 128 shared+0", "access w0 1 write weak - 128 out+0",
                  "fence w0 ffffffff tensormap_release release gpu -"));
}

// Rows of 48 bytes that lie next to each other are one range; of a box at the edge the inside.
TEST(Observer, TensorCopies) {
  sim::TensorMap map;
  map.rank = 2;
  map.element_type = static_cast<std::uint8_t>(sim::TensorType::f32);
  map.dim[0] = 12;
  map.dim[1] = 4;
  map.stride[0] = 48;
  map.box[0] = 12;
  map.box[1] = 2;
  map.element_stride[0] = map.element_stride[1] = 1;
  map.address = 16;  // replaced by the kernel
  Kernel kernel{.body = first_lane + R"(
    @!%p0 exit;
    tensormap.replace.tile.global_address.global.b1024.b64 [%d0], %d1;
    mbarrier.init.shared.b64 [%r1], 1;
    add.u32 %r3, %r1, 128;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
      [%r3], [%d0, {0, 1}], [%r1];
    cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d0, {0, 3}], [%r3];
    cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d0, {8, 0}], [%r3];
  )"};
  std::memcpy(kernel.in.data(), &map, sizeof map);
  EXPECT_THAT(
      heard(kernel),
      ElementsAre("access w0 1 read weak - 128 in+0", "access w0 1 write weak - 128 in+0",
                  "init w0 0 0:0 1", "map w0 0 in+0", "named w0 0 0:0", "issued w0 1 bulk_load # 1",
                  "async # 1 read out+48 96 lane -1 0:0",
                  "async # 1 write shared+128 96 lane -1 0:0",
                  "applied acting 1 arriving 0 0:0 complete_tx 96 -", "ran # 1", "map w0 0 in+0",
                  "issued w0 1 bulk_store # 2", "async # 2 read shared+128 96 lane -1 -",
                  "async # 2 write out+144 48 lane -1 -", "ran # 2", "map w0 0 in+0",
                  "issued w0 1 bulk_store # 3", "async # 3 read shared+128 96 lane -1 -",
                  "async # 3 atomic out+32 16 lane -1 -", "async # 3 atomic out+80 16 lane -1 -",
                  "ran # 3"));
}

}  // namespace
