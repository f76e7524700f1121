// Where tensor copies find and put their elements. The expected rows, the refusals and the layouts
// were read off an H200.
#include "sim/exec/async/tma_box.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "sim/exec/async/reduce.hpp"
#include "tests/sim/support/tma_maps.hpp"

using namespace aisp;

namespace {

using namespace sim;

using namespace tma_maps;

TEST(TensorSwizzle, ExchangesAddressBits) {
  // The 16-byte pieces of lines 0 to 7, as the manual's tables have them.
  const std::map<Swizzle, std::vector<std::uint32_t>> first_piece = {
      {Swizzle::none, {0, 0, 0, 0, 0, 0, 0, 0}},
      {Swizzle::b32, {0, 1, 0, 1, 0, 1, 0, 1}},
      {Swizzle::b64, {0, 1, 2, 3, 0, 1, 2, 3}},
      {Swizzle::b128, {0, 1, 2, 3, 4, 5, 6, 7}},
      {Swizzle::b128_atom32, {0, 2, 4, 6, 0, 2, 4, 6}},
      {Swizzle::b128_atom64, {0, 4, 0, 4, 0, 4, 0, 4}},
  };
  for (const auto& [swizzle, pieces] : first_piece)
    for (std::uint32_t line = 0; line < 16; ++line)
      for (std::uint32_t piece = 0; piece < 8; ++piece)
        EXPECT_EQ(swizzled(swizzle, 128 * line + 16 * piece + 5),
                  128 * line + 16 * (piece ^ pieces[line % 8]) + 5);
  EXPECT_EQ(swizzled(Swizzle::b128_atom32_flip8, 0), 0u);
  EXPECT_EQ(swizzled(Swizzle::b128_atom32_flip8, 128), 128u + 32 + 8);
  EXPECT_EQ(swizzled(Swizzle::b128_atom32_flip8, 128 + 8), 128u + 32);
}

TEST(TensorBox, KeepsTheSpanOfTheSwizzleForEachRow) {
  TensorMap map = tiled();
  EXPECT_EQ(box_shape(map, {}).pitch, 32u);
  map.box[0] = 12;
  EXPECT_EQ(box_shape(map, {}).pitch, 48u);
  map.swizzle = static_cast<int>(Swizzle::b128);
  EXPECT_EQ(box_shape(map, {}).pitch, 128u);
  EXPECT_EQ(box_shape(map, {}).bytes(), 4u * 48);
  EXPECT_EQ(box_shape(map, {}).extent(), 4u * 128);
}

TEST(TensorBox, ClipsTiles) {
  std::vector<BoxRow> rows;
  box_rows(tiled(), at({-4, -1}), rows);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].from, rows[0].to);
  EXPECT_EQ(rows[1].from, 16u);
  EXPECT_EQ(rows[1].to, 32u);
  EXPECT_EQ(rows[1].address + 16, 0x10000u);
  box_rows(tiled(), at({12, 7}), rows);
  EXPECT_EQ(rows[0].from, 0u);
  EXPECT_EQ(rows[0].to, 16u);
  EXPECT_EQ(rows[1].from, rows[1].to);
  TensorMap map = tiled();
  map.box[1] = 8;
  map.element_stride[1] = 3;
  EXPECT_EQ(first_words(map, at({0, -2})), (std::vector<int>{-1, 16, 64}));
}

TEST(TensorBox, StepsThroughPixels) {
  const TensorMap one = pixels({4, 6, 5, 2}, {-1, -1}, {-1, -1}, {1, 1, 1, 1}, 32);
  EXPECT_EQ(first_words(one, at({0, -1, -1, 0})),
            (std::vector<int>{-1, -1, -1, -1, -1, -1, -1, 0,  4,  8,  12, 16, -1, 24, 28, 32,
                              36, 40, -1, 48, 52, 56, 60, 64, -1, 72, 76, 80, 84, 88, -1, -1}));
  EXPECT_EQ(first_words(one, at({0, 3, 3, 0}, {1, 2})),
            (std::vector<int>{-1,  -1,  144, 148, 152, 156, 160, 164, 168, 172, 176,
                              180, 184, 188, 192, 196, 200, 204, 208, 212, 216, 220,
                              224, 228, 232, 236, -1,  -1,  -1,  -1,  -1,  -1}));
  EXPECT_EQ(
      first_words(pixels({4, 6, 5, 2}, {-2, 0}, {-1, -2}, {1, 1, 1, 1}, 32), at({0, -2, 0, 0})),
      (std::vector<int>{-1, -1, 0,  4,  8,  12, 16, -1,  -1,  24,  28,  32,  36, 40, -1,  -1,
                        48, 52, 56, 60, 64, -1, -1, 120, 124, 128, 132, 136, -1, -1, 144, 148}));
}

TEST(TensorBox, StepsThroughPixelsWithStrides) {
  const TensorMap two = pixels({4, 6, 5, 2}, {-1, -1}, {-1, -1}, {1, 2, 2, 1}, 24);
  EXPECT_EQ(first_words(two, at({0, -1, -1, 0}, {1, 1})),
            (std::vector<int>{0,   8,   16,  48,  56,  64,  96, 104, 112, 120, 128, 136,
                              168, 176, 184, 216, 224, 232, -1, -1,  -1,  -1,  -1,  -1}));
  EXPECT_EQ(first_words(two, at({0, 0, 0, 0})),
            (std::vector<int>{0,  8,   16,  -1, 52, 60, -1, -1, -1, -1, 148, 156,
                              -1, 196, 204, -1, -1, -1, -1, -1, -1, -1, -1,  -1}));
  EXPECT_EQ(first_words(pixels({4, 7, 5, 5}, {0, 0}, {0, 0}, {1, 3, 2, 2}, 24), at({0, 0, 0, 0})),
            (std::vector<int>{0,   12,  24,  56,  68,  80,  112, 124, 136, 280, 292, 304,
                              336, 348, 360, 392, 404, 416, 560, 572, 584, 616, 628, 640}));
}

TEST(TensorBox, StepsThroughPixelsOfOtherRanks) {
  EXPECT_EQ(first_words(pixels({8, 6, 5, 2}, {0, 0}, {0, 0}, {1, 1, 1, 1}, 8), at({4, 2, 1, 1})),
            (std::vector<int>{308, 316, 324, 332, 340, 348, 356, 364}));
  EXPECT_EQ(first_words(pixels({4, 10, 3}, {-2}, {1}, {1, 1, 1}, 32), at({0, -2, 0}, {3})),
            (std::vector<int>{4,  8,  12, 16, 20, 24, 28, 32, 36, -1, -1, -1, -1, 44, 48,  52,
                              56, 60, 64, 68, 72, 76, -1, -1, -1, -1, 84, 88, 92, 96, 100, 104}));
  EXPECT_EQ(
      first_words(pixels({4, 3, 3, 3, 2}, {-1, 0, 0}, {0, 0, -1}, {1, 1, 1, 1, 1}, 48),
                  at({0, -1, 0, 0, 0}, {1, 1, 0})),
      (std::vector<int>{12, 16, 20, -1, 24,  28,  32,  -1, -1,  -1,  -1,  -1, 48,  52,  56,  -1,
                        60, 64, 68, -1, -1,  -1,  -1,  -1, 120, 124, 128, -1, 132, 136, 140, -1,
                        -1, -1, -1, -1, 156, 160, 164, -1, 168, 172, 176, -1, -1,  -1,  -1,  -1}));
}

TEST(TensorBox, InterleavedCountsUnitsAndSlices) {
  TensorMap map = tiled(4);
  map.interleave = 1;
  map.dim[0] = 6;
  map.stride[0] = 32;
  map.stride[1] = 256;
  map.box[0] = 8;
  const BoxShape shape = box_shape(map, {});
  EXPECT_EQ(shape.row_bytes, 16u);
  EXPECT_EQ(shape.rows, 8u * 4 * 2);
  const std::vector<int> words = first_words(map, at({0, 0, 1, 0}));
  EXPECT_EQ(std::vector<int>(words.begin(), words.begin() + 10),
            (std::vector<int>{64, 68, 72, 76, 80, 84, -1, -1, 72, 76}));
  EXPECT_EQ(words[32], 64 + 512);
}

TEST(TensorBox, GathersFourRows) {
  TensorMap map = tiled();
  map.box[1] = 1;
  TmaRequest request = at({4, 7, 0, 9, 2});
  request.four_rows = true;
  EXPECT_EQ(first_words(map, request), (std::vector<int>{7 * 16 + 4, 4, -1, 2 * 16 + 4}));
}

TEST(TmaRequests, AreRefusedAsHardwareDoes) {
  const auto refused = [](const TensorMap& map, TmaRequest request, bool store = false) {
    request.store = store;
    return !why_refused(map, request).empty();
  };
  EXPECT_TRUE(refused(tiled(), at({1, 0})));
  EXPECT_TRUE(refused(tiled(), at({-1, 0})));
  EXPECT_FALSE(refused(tiled(), at({100, -100})));
  EXPECT_TRUE(refused(tiled(), at({-4, 6}), true));
  EXPECT_FALSE(refused(tiled(), at({12, 6}), true));
  const TensorMap map = pixels({4, 6, 5, 2}, {-1, -1}, {-1, -1}, {1, 1, 1, 1}, 16);
  EXPECT_TRUE(refused(map, at({0, 5, 1, 0})));
  EXPECT_TRUE(refused(map, at({0, -2, -1, 0})));
  EXPECT_FALSE(refused(map, at({0, 4, 3, 0})));
}

struct Encoding {
  const char* what;
  bool fine;
  std::function<void(TensorMap&)> change;
};

TEST(TensorMapEncoding, AgreesWithTheDriverOnTiles) {
  const Encoding cases[] = {
      {"default", true, [](auto&) {}},
      {"rank 0", false, [](auto& m) { m.rank = 0; }},
      {"rank 6", false, [](auto& m) { m.rank = 6; }},
      {"rank 1", true, [](auto& m) { m.rank = 1; }},
      {"address 8", false, [](auto& m) { m.address += 8; }},
      {"dim 0", false, [](auto& m) { m.dim[0] = 0; }},
      {"dim 2^32", true, [](auto& m) { m.dim[1] = 1ull << 32; }},
      {"dim 2^32+1", false, [](auto& m) { m.dim[1] = (1ull << 32) + 1; }},
      {"stride 72", false, [](auto& m) { m.stride[0] = 72; }},
      {"stride 0", true, [](auto& m) { m.stride[0] = 0; }},
      {"stride 2^40", false, [](auto& m) { m.stride[0] = 1ull << 40; }},
      {"box 0", false, [](auto& m) { m.box[1] = 0; }},
      {"box 256", true, [](auto& m) { m.box[1] = 256; }},
      {"box 257", false, [](auto& m) { m.box[1] = 257; }},
      {"inner 12 bytes", false, [](auto& m) { m.box[0] = 3; }},
      {"228 KiB", true, [](auto& m) { m.box[0] = 256, m.box[1] = 228; }},
      {"232 KiB", false, [](auto& m) { m.box[0] = 256, m.box[1] = 232; }},
      {"strided box", true, [](auto& m) { m.box[0] = m.box[1] = 256, m.element_stride[1] = 8; }},
      {"element stride 0", false, [](auto& m) { m.element_stride[0] = 0; }},
      {"element stride 9", false, [](auto& m) { m.element_stride[1] = 9; }},
      {"interleave rank 2", false, [](auto& m) { m.interleave = 1; }},
      {"interleave rank 3", true, [](auto& m) { m.interleave = 1, m.rank = 3; }},
      {"interleave 32B", true, [](auto& m) { m.interleave = 2, m.rank = 3; }},
      {"interleave 32B, address 16", false,
       [](auto& m) { m.interleave = 2, m.rank = 3, m.address += 16; }},
      {"interleave 32B, stride 80", false,
       [](auto& m) { m.interleave = 2, m.rank = 3, m.stride[0] = 80; }},
      {"interleave 16B, inner 12", false,
       [](auto& m) { m.interleave = 1, m.rank = 3, m.box[0] = 3; }},
      {"swizzle 32, 32 bytes", true, [](auto& m) { m.swizzle = 1; }},
      {"swizzle 32, 64 bytes", false, [](auto& m) { m.swizzle = 1, m.box[0] = 16; }},
      {"swizzle 128, 144 bytes", false, [](auto& m) { m.swizzle = 3, m.box[0] = 36; }},
      {"swizzle with atoms", false, [](auto& m) { m.swizzle = 4; }},
      {"L2 4", false, [](auto& m) { m.l2_promotion = 4; }},
      {"NaN in integers", false, [](auto& m) { m.nan_fill = 1; }},
      {"NaN in floats", true, [](auto& m) { m.nan_fill = 1, m.element_type = 7; }},
      {"packed type", false, [](auto& m) { m.element_type = 13, m.box[0] = 32; }},
  };
  for (const Encoding& encoding : cases) {
    TensorMap map = tiled();
    encoding.change(map);
    EXPECT_EQ(why_invalid(map, 9).empty(), encoding.fine) << encoding.what << why_invalid(map, 9);
  }
  TensorMap map = tiled();
  map.swizzle = 4;
  EXPECT_EQ(why_invalid(map, 10), "");
}

TEST(TensorMapEncoding, AgreesWithTheDriverOnPixels) {
  const Encoding cases[] = {
      {"default", true, [](auto&) {}},
      {"rank 2", false, [](auto& m) { m.rank = 2; }},
      {"lower -128", true, [](auto& m) { m.lower[0] = -128; }},
      {"lower -129", false, [](auto& m) { m.lower[0] = -129; }},
      {"lower 7", true, [](auto& m) { m.lower[0] = 7; }},
      {"lower 8", false, [](auto& m) { m.lower[0] = 8; }},
      {"no channels", false, [](auto& m) { m.channels_per_pixel = 0; }},
      {"257 channels", false, [](auto& m) { m.channels_per_pixel = 257; }},
      {"12 bytes", false, [](auto& m) { m.channels_per_pixel = 3; }},
      {"no pixels", false, [](auto& m) { m.pixels_per_column = 0; }},
      {"1024 pixels", true, [](auto& m) { m.pixels_per_column = 1024; }},
      {"1025 pixels", false, [](auto& m) { m.pixels_per_column = 1025; }},
      {"256 KiB", false, [](auto& m) { m.pixels_per_column = 1024, m.channels_per_pixel = 64; }},
      {"swizzle 64, 128 bytes", false, [](auto& m) { m.swizzle = 2, m.channels_per_pixel = 32; }},
      {"rank 5, lower -17", false, [](auto& m) { m.rank = 5, m.lower[0] = -17; }},
      {"rank 5, lower -16", true, [](auto& m) { m.rank = 5, m.lower[0] = -16; }},
      {"rank 3, lower -32768", true, [](auto& m) { m.rank = 3, m.lower[0] = -32768; }},
      {"interleave", true, [](auto& m) { m.interleave = 1; }},
  };
  for (const Encoding& encoding : cases) {
    TensorMap map = pixels({16, 8, 4, 4}, {0, 0}, {0, 0}, {1, 1, 1, 1}, 16);
    map.dim[4] = 4;
    map.stride[3] = 8192;
    encoding.change(map);
    EXPECT_EQ(why_invalid(map, 9).empty(), encoding.fine) << encoding.what << why_invalid(map, 9);
  }
}

// The combinations an H200 takes; all others are illegal instructions there.
TEST(TensorReduction, HasTheTypesOfHardware) {
  const std::map<TensorType, std::string> expected = {
      {TensorType::u8, ""},        {TensorType::u16, ""},       {TensorType::u32, "amMidnox"},
      {TensorType::s32, "amMnox"}, {TensorType::u64, "amMnox"}, {TensorType::s64, "mM"},
      {TensorType::f16, "amM"},    {TensorType::f32, "a"},      {TensorType::f64, "a"},
      {TensorType::bf16, "amM"},   {TensorType::f32_ftz, "a"},  {TensorType::tf32, "a"},
      {TensorType::tf32_ftz, "a"},
  };
  const std::string letters = "amMidnox";  // in the order of ReduceOp
  for (const auto& [type, ops] : expected)
    for (std::size_t i = 0; i < letters.size(); ++i)
      EXPECT_EQ(find_reducer(static_cast<ReduceOp>(i), type) != nullptr,
                ops.find(letters[i]) != std::string::npos)
          << static_cast<int>(type) << letters[i];
}

}  // namespace
