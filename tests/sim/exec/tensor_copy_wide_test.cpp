// Tensor copies of sm_100: im2col along W alone, and elements that are padded in shared memory. No
// hardware was asked: the rows are those that the manual's rules give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "tests/sim/support/run_orders.hpp"
#include "tests/sim/support/tma_maps.hpp"

using namespace aisp;
using testing::HasSubstr;

namespace {

using namespace tma_maps;

// Four pixels of four words in a row, two rows, eight images: pixel (w, h, n) is the word
// 4 * (w + 4 * h + 8 * n).
TensorMap wide(int lower, int upper, int step, int count) {
  TensorMap map = pixels({4, 4, 2, 8}, {lower}, {upper}, {1, step, 1, 1}, count);
  map.kind = MapKind::wide;
  map.swizzle = static_cast<int>(Swizzle::b64);
  return map;
}
TmaRequest wide_at(std::vector<int> coordinates, int halo, int offset) {
  TmaRequest request = at(std::move(coordinates), {offset});
  request.halo = static_cast<std::uint16_t>(halo);
  return request;
}

// From the end of a row on to the next image: H stays. The halo comes behind the last pixel.
TEST(TensorBox, StepsAlongWAlone) {
  EXPECT_EQ(first_words(wide(0, 0, 1, 6), wide_at({0, 2, 1, 1}, 0, 0)),
            (std::vector<int>{56, 60, 80, 84, 88, 92}));
  EXPECT_EQ(first_words(wide(0, 0, 1, 4), wide_at({0, 2, 1, 1}, 2, 0)),
            (std::vector<int>{56, 60, 80, 84, 88, 92}));
  // The offset moves the box and the first pixel; what leaves the row is filled.
  EXPECT_EQ(first_words(wide(0, 0, 1, 6), wide_at({0, 0, 0, 7}, 0, 1)),
            (std::vector<int>{228, 232, 236, -1, -1, -1}));
  // With a stride of two, from left of the image on, to two buffers.
  EXPECT_EQ(first_words(wide(-1, 0, 2, 4), wide_at({0, -1, 0, 0}, 1, 0)),
            (std::vector<int>{-1, 4, 12, -1, 36}));
  EXPECT_EQ(first_words(wide(-1, 0, 2, 4), wide_at({0, -1, 0, 0}, 0, 1)),
            (std::vector<int>{0, 8, -1, 32}));
  // The first pixel may lie left of the box, and only the first one does.
  EXPECT_EQ(first_words(wide(1, 0, 1, 5), wide_at({0, 0, 0, 0}, 0, 0)),
            (std::vector<int>{0, 4, 8, 12, 36}));
  TensorMap map = wide(0, 0, 1, 3);
  map.kind = MapKind::wide_128;
  EXPECT_EQ(first_words(map, wide_at({0, 0, 0, 0}, 0, 0)).size(), 128u);
  EXPECT_EQ(box_shape(wide(0, 0, 1, 4), wide_at({0, 0, 0, 0}, 2, 0)).bytes(), 6u * 16);
}

TEST(TmaRequests, AlongWHaveTheirLimits) {
  const auto why = [](MapKind kind, const TmaRequest& request) {
    TensorMap map = wide(0, 0, 1, 4);
    map.kind = kind;
    return why_refused(map, request);
  };
  EXPECT_EQ(why(MapKind::wide, wide_at({0, 3, 0, 0}, 511, 0)), "");
  EXPECT_EQ(why(MapKind::wide, wide_at({0, 3, 0, 0}, 512, 0)),
            "a halo of 512 pixels: 511 is the most");
  EXPECT_EQ(why(MapKind::wide, wide_at({0, 4, 0, 0}, 0, 0)),
            "coordinate 4 of dimension 1 lies right of the pixel box, which ends at 3");
  EXPECT_EQ(why(MapKind::wide_128, wide_at({0, 3, 0, 0}, 32, 0)),
            "a halo of 32 pixels: 31 is the most");
  EXPECT_NE(why(MapKind::wide_128, wide_at({0, 3, 0, 0}, 2, 0)).find("is not known"),
            std::string::npos);
}

TEST(TensorMapEncoding, AlongWHasItsRules) {
  const auto why = [](int major, auto&& change) {
    TensorMap map = wide(0, 0, 1, 4);
    change(map);
    return why_invalid(map, major);
  };
  EXPECT_EQ(why(10, [](auto&) {}), "");
  EXPECT_NE(why(9, [](auto&) {}), "");
  EXPECT_EQ(why(10, [](auto& m) { m.lower[0] = -32768; }), "");
  EXPECT_NE(why(10, [](auto& m) { m.swizzle = 0; }), "");
  EXPECT_NE(why(10, [](auto& m) { m.swizzle = 1; }), "");
  EXPECT_EQ(why(10, [](auto& m) { m.swizzle = 4; }), "");
  EXPECT_NE(why(10, [](auto& m) { m.interleave = 1; }), "");
  EXPECT_NE(why(10, [](auto& m) { m.upper[0] = -4; }), "");
  EXPECT_NE(why(10, [](auto& m) { m.pixels_per_column = 0; }), "");
  EXPECT_EQ(why(10, [](auto& m) { m.kind = MapKind::wide_128, m.pixels_per_column = 0; }), "");
}

TEST(TmaRequests, OfPaddedElementsHaveTheirLimits) {
  const auto why = [](int type, int first, bool store) {
    TensorMap map = tiled();
    map.element_type = static_cast<std::uint8_t>(type);
    map.dim[0] = 256;
    map.box[0] = 128;
    map.stride[0] = 192;
    EXPECT_EQ(why_invalid(map, 10), "");
    TmaRequest request = at({first, 0});
    request.store = store;
    return why_refused(map, request);
  };
  for (const int type : {14, 15}) {
    EXPECT_EQ(why(type, 128, false), "");
    EXPECT_EQ(why(type, 64, false),
              "coordinate 64 of dimension 0: with padded elements it is a multiple of 128");
  }
  EXPECT_EQ(why(14, 0, true), "there is no store of padded 4-bit elements");
  EXPECT_EQ(why(15, 0, true), "");
}

// ---- The instructions. The map lies before the tensor, which the kernel tells it where to find.

constexpr std::size_t map_words = 32, tensor_words = 4 * 4 * 2 * 8;

exec_kernel::Kernel wide_kernel(const TensorMap& map, const std::string& mode, int pixels) {
  const std::string bytes = std::to_string(16 * pixels);
  exec_kernel::Kernel kernel{.body = R"(
.reg .b16 %halo, %offset;
add.u64 %d2, %d0, )" + std::to_string(4 * map_words) +
                                     R"(;
mov.u32 %r2, tile;
mov.u32 %r3, bar;
mov.u16 %halo, 2;
mov.u16 %offset, 1;
setp.ne.u32 %p0, %r0, 0;
@%p0 bra issued;
st.global.u64 [%d0+)" + std::to_string(offsetof(TensorMap, address)) +
                                     R"(], %d2;
fence.proxy.tensormap::generic.release.gpu;
fence.proxy.tensormap::generic.acquire.gpu [%d0], 128;
mbarrier.init.shared.b64 [%r3], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared.b64 _, [%r3], )" +
                                     bytes + R"(;
cp.async.bulk.prefetch.tensor.4d.L2.global.)" +
                                     mode + R"( [%d0, {0, 2, 1, 1}], {%halo, %offset};
cp.async.bulk.tensor.4d.shared::cluster.global.)" +
                                     mode + R"(.mbarrier::complete_tx::bytes
  [%r2], [%d0, {0, 2, 1, 1}], [%r3], {%halo, %offset};
issued:
bar.sync 0;
again:
mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0;
@!%p1 bra again;
mad.lo.u32 %r2, %r0, 64, %r2;
shr.u32 %r4, %r0, 1;
and.b32 %r4, %r4, 3;
shl.b32 %r4, %r4, 4;
xor.b32 %r2, %r2, %r4;
ld.shared.u32 %r9, [%r2];
)" + run_orders::put,
                             .before =
                                 ".shared .align 1024 .b8 tile[2048];\n"
                                 ".shared .align 8 .b64 bar;\n",
                             .target = "sm_100a"};
  kernel.device = "b200";
  kernel.block = 6;
  kernel.in.assign(map_words + tensor_words, 0);
  std::memcpy(kernel.in.data(), &map, sizeof map);
  for (std::size_t i = 0; i < tensor_words; ++i)
    kernel.in[map_words + i] = static_cast<std::uint32_t>(i + 1000);
  return kernel;
}

TEST(TmaAlongW, LoadsPixelsAndHalo) {
  const auto out = run_orders::in_all_orders(wide_kernel(wide(0, 0, 1, 4), "im2col::w", 6));
  // Pixels 3 and 4 of the second row of image 1, of which the last does not exist; then image 2.
  EXPECT_EQ(run_orders::head(out, 6), (run_orders::Words{1060, 0, 1084, 1088, 1092, 0}));
}

TEST(TmaAlongW, MapAndInstructionAgree) {
  const auto fault = [](const TensorMap& map, const std::string& mode) {
    return exec_kernel::run(wide_kernel(map, mode, 6), {.host_threads = 1}).fault();
  };
  EXPECT_THAT(fault(wide(0, 0, 1, 4), "im2col::w::128"),
              HasSubstr("the instruction is .4d.im2col::w::128, the tensor map 4d im2col::w"));
  TensorMap map = wide(0, 0, 1, 4);
  map.kind = MapKind::wide_128;
  EXPECT_THAT(fault(map, "im2col::w::128"), HasSubstr("a halo of 2 pixels with im2col::w::128"));
}

}  // namespace
