// The 96-byte swizzle, which sm_103a alone has and tensormap.replace alone makes: rows of 96 bytes
// next to each other, in which every other line of 128 bytes has neighbours of 16 bytes exchanged.
// Pattern and rules are the PTX manual's; that rows lie next to each other is derived from those of
// the other modes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/async/tma_box.hpp"
#include "tests/sim/support/exec_kernel.hpp"

using namespace aisp;

namespace {

using base::say;
using exec_kernel::Kernel;
using testing::HasSubstr;

constexpr int columns = 24, rows = 8, box_words = columns * rows;  // rows of 96 bytes
constexpr int tensor_word = 64, tensor_rows = 2 * rows;            // in the input, behind the map

sim::TensorMap map_of_tensor() {
  sim::TensorMap map;
  map.rank = 2;
  map.element_type = static_cast<std::uint8_t>(sim::TensorType::f32);
  map.dim[0] = map.box[0] = columns;
  map.dim[1] = tensor_rows;
  map.box[1] = rows;
  map.stride[0] = 96;
  map.element_stride[0] = map.element_stride[1] = 1;
  return map;
}

// Loads the first rows to `shared` bytes behind a multiple of 1024, stores them to the second ones,
// and gives out the shared memory.
Kernel copies(const std::string& target, int shared, const std::string& mode = "4") {
  Kernel kernel{.body = say(R"(
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra done;
    mov.u32 %r2, tile;
    add.u32 %r2, %r2, )",
                            shared, R"(;
    mov.u32 %r3, barrier;
    add.u64 %d2, %d0, 256;
    tensormap.replace.tile.global_address.global.b1024.b64 [%d0], %d2;
    tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d0], )",
                            mode, R"(;
    fence.proxy.tensormap::generic.release.gpu;
    fence.proxy.tensormap::generic.acquire.gpu [%d0], 128;
    mbarrier.init.shared.b64 [%r3], 1;
    fence.proxy.async;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 768;
    mov.u32 %r4, 0;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d0, {%r4, %r4}], [%r3];
    again: mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0;
    @!%p1 bra again;
    mov.u32 %r5, 8;
    cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d0, {%r4, %r5}], [%r2];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    done: bar.sync 0;
    mov.u32 %r2, tile;
    next: mad.lo.u32 %r6, %r0, 4, %r2;
    ld.shared.u32 %r7, [%r6];
    mad.wide.u32 %d3, %r0, 4, %d1;
    st.global.u32 [%d3], %r7;
    add.u32 %r0, %r0, 32;
    setp.lt.u32 %p2, %r0, 256;
    @%p2 bra next;)"),
                .before = ".shared .align 1024 .b8 tile[1024];\n.shared .align 8 .b64 barrier;\n",
                .target = target,
                .in = std::vector<std::uint32_t>(tensor_word + columns * tensor_rows, 0xabcdu),
                .out_words = 256,
                .device = "b200"};
  const sim::TensorMap map = map_of_tensor();
  std::memcpy(kernel.in.data(), &map, sizeof map);
  for (int i = 0; i < box_words; ++i)
    kernel.in[static_cast<std::size_t>(tensor_word + i)] = static_cast<std::uint32_t>(1000 + i);
  return kernel;
}

TEST(Swizzle96, LoadsExchangeNeighboursInEveryOtherLineAndStoresPutThemBack) {
  for (const int shared : {0, 128}) {
    const exec_kernel::Result result = run(copies("sm_103a", shared));
    ASSERT_EQ(result.refused + result.fault(), "");
    for (int i = 0; i < box_words; ++i) {
      const int byte = shared + 4 * i, line = byte / 128;
      const int at = line % 2 == 0 ? byte : byte - byte % 32 + (byte + 16) % 32;
      ASSERT_EQ(result.out[static_cast<std::size_t>(at / 4)], 1000u + static_cast<unsigned>(i))
          << "word " << i << " at " << shared;
      ASSERT_EQ(result.in[static_cast<std::size_t>(tensor_word + box_words + i)],
                1000u + static_cast<unsigned>(i));
    }
  }
}

TEST(Swizzle96, NeedsItsArchitecture) {
  EXPECT_THAT(run(copies("sm_100a", 0)).refused,
              HasSubstr("the 96-byte swizzle needs sm_103a: the target is sm_100a"));
  EXPECT_NE(run(copies("sm_120a", 0)).refused, "");
  EXPECT_EQ(run(copies("sm_100a", 0, "0")).refused, "");
  EXPECT_THAT(run(copies("sm_103a", 0, "5")).refused, HasSubstr("value 5 of .swizzle_mode"));
}

TEST(Swizzle96, HasRulesOfItsOwn) {
  sim::TensorMap map = map_of_tensor();
  map.address = 4096;
  map.swizzle = static_cast<std::uint8_t>(sim::Swizzle::b96);
  EXPECT_EQ(why_invalid(map, 10), "");
  EXPECT_EQ(box_shape(map, {}).pitch, 96u);
  map.box[0] = 28;
  EXPECT_THAT(why_invalid(map, 10), HasSubstr("112 bytes is wider than the swizzle of 96"));
  map = map_of_tensor();
  map.address = 4096;
  map.swizzle = static_cast<std::uint8_t>(sim::Swizzle::b96);
  map.interleave = 1;
  EXPECT_THAT(why_invalid(map, 10), HasSubstr("no interleaved layout"));
  map.interleave = 0;
  map.element_type = static_cast<std::uint8_t>(sim::TensorType::u6x16_align16);
  map.dim[0] = map.box[0] = 128;
  EXPECT_THAT(why_invalid(map, 10), HasSubstr("not allowed with padded elements"));
  Kernel kernel = copies("sm_103a", 0);
  kernel.body =
      "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d0], 4;\n"
      "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%d0], 1;\n";
  EXPECT_THAT(run(kernel).fault(), HasSubstr("the 96-byte swizzle has atoms of 16 bytes"));
}

}  // namespace
