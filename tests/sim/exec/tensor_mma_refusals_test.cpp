// tcgen05.mma with descriptors that are not legal, or whose meaning is not published: each is
// named when the instruction is issued.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/exec/tensor_memory/descriptor.hpp"
#include "tests/sim/support/tensor_rig.hpp"

using namespace aisp;
using testing::HasSubstr;

namespace {

constexpr std::uint64_t plain = 0x0000400800800000;  // offsets 2048 and 128, version 1
constexpr std::uint32_t f16_128x64 = 1u << 4 | 8u << 17 | 8u << 24;

struct Wrong {
  const char* form = "cta_group::1.kind::f16";
  std::uint32_t descriptor = f16_128x64;
  std::uint64_t a = plain, b = plain;
  const char* operands = "%yes";  // behind the instruction descriptor
  const char* address = "[%base]";
  const char* first = "%q1";  // A
  const char* metadata = "";  // of a sparse A
};

std::string fault_of(const Wrong& wrong, bool pair = false) {
  tensor_rig::Rig rig;
  rig.pair = pair;
  rig.shared_bytes = 8192;
  rig.body = "shr.u32 %m0, %tiles, 4;\ncvt.u64.u32 %q0, %m0;\nor.b64 %q1, %q0, " +
             std::to_string(wrong.a) + ";\nor.b64 %q2, %q0, " + std::to_string(wrong.b) +
             ";\nmov.b64 %q3, 0x0100008000000000;\ntcgen05.mma." + std::string(wrong.form) + " " +
             wrong.address + ", " + wrong.first + ", %q2, " + wrong.metadata +
             std::to_string(wrong.descriptor) + ", " + wrong.operands + ";\n";
  return tensor_rig::fault(rig);
}

TEST(TensorMmaRefusals, ShapesAndTypes) {
  const auto with = [](std::uint32_t bits) { return fault_of({.descriptor = bits}); };
  EXPECT_EQ(with(f16_128x64), "");
  EXPECT_THAT(with(1u << 4 | 8u << 17 | 3u << 24), HasSubstr("M 48: 64 or 128 with .cta_group::1"));
  EXPECT_THAT(with(1u << 4 | 8u << 24), HasSubstr("N 0: multiples of 8 up to 256"));
  EXPECT_THAT(with(1u << 4 | 33u << 17 | 8u << 24), HasSubstr("N 264"));
  EXPECT_THAT(with(f16_128x64 | 2u << 7), HasSubstr("type 2 of A: 0 f16, 1 bf16"));
  EXPECT_THAT(with(f16_128x64 | 1u << 7), HasSubstr("A and B are both f16 or both bf16"));
  EXPECT_THAT(with(f16_128x64 ^ 3u << 4), HasSubstr("type 2 of D with .f16: 1 f32, 0 f16"));
  EXPECT_THAT(with((f16_128x64 ^ 1u << 4) | 1u << 7 | 1u << 10),
              HasSubstr("type 0 of D with .bf16: 1 f32"));
  EXPECT_THAT(with(f16_128x64 | 1u << 6), HasSubstr("bit 6"));
  EXPECT_THAT(with(f16_128x64 | 1u << 23), HasSubstr("bit 23"));
  EXPECT_THAT(with(f16_128x64 | 1u << 2), HasSubstr("says sparse"));
  EXPECT_THAT(with(f16_128x64 | 1u << 3), HasSubstr("saturation, is of i8"));
  EXPECT_THAT(with(f16_128x64 | 1u << 30), HasSubstr("maximum shift of .ws, are not modelled"));
  EXPECT_THAT(
      fault_of({.form = "cta_group::1.kind::i8", .descriptor = 2u << 4 | 5u << 17 | 8u << 24}),
      HasSubstr("N 40: multiples of 16 up to 256"));
}

TEST(TensorMmaRefusals, MatricesInSharedMemory) {
  EXPECT_THAT(fault_of({.a = plain & ~(1ull << 46)}),
              HasSubstr("A: bits 46-48 of a shared memory descriptor are 0b001, not 0"));
  EXPECT_THAT(fault_of({.b = plain | 3ull << 61}), HasSubstr("B: swizzle 3"));
  EXPECT_THAT(fault_of({.b = plain | 1ull << 52}), HasSubstr("is of sm_103a"));
  EXPECT_THAT(fault_of({.a = plain | 1ull << 61}), HasSubstr("is for MN-major matrices"));
  EXPECT_THAT(fault_of({.form = "cta_group::1.kind::tf32",
                        .descriptor = f16_128x64 | 2u << 7 | 2u << 10 | 1u << 16}),
              HasSubstr("tf32 that is MN-major has a swizzle of 128 bytes in atoms of 32"));
  EXPECT_THAT(fault_of({.form = "cta_group::1.kind::f8f6f4",
                        .descriptor = f16_128x64 | 5u << 7 | 1u << 15}),
              HasSubstr("elements of 4 and 6 bits are K-major"));
  EXPECT_THAT(fault_of({.a = plain | 0x3fff}), HasSubstr("shared"));
  EXPECT_THAT(fault_of({.a = plain | 5ull << 49}), HasSubstr("A: base offset 5"));
}

// A pattern is 1024, 512 or 256 bytes long, with atoms of 32 bytes 512: its lines of 128 bytes.
TEST(TensorMmaRefusals, BaseOffsetsOfOtherLines) {
  struct Row {
    std::uint64_t swizzle;
    std::uint32_t lines;
  };
  for (const auto& [swizzle, lines] : {Row{2, 8}, Row{4, 4}, Row{6, 2}, Row{1, 4}})
    for (std::uint64_t line = 0; line < 16; ++line)
      for (std::uint64_t base = 0; base < 8; ++base)
        for (const std::uint64_t step : {0, 2, 4}) {  // along K, inside of a line
          const std::uint64_t bits = 1ull << 46 | swizzle << 61 | base << 49 | (line * 8 + step);
          const std::string why = sim::TensorDescriptor::why_invalid(bits);
          if (base == 0 || base % lines == line % lines)
            EXPECT_EQ(why, "") << swizzle << " " << line << " " << base;
          else
            EXPECT_THAT(why, AllOf(HasSubstr("base offset " + std::to_string(base)),
                                   HasSubstr("has " + std::to_string(line % lines))));
        }
}

TEST(TensorMmaRefusals, PlacesInTensorMemory) {
  EXPECT_THAT(fault_of({.address = "[%base+65536]"}),
              HasSubstr("D at lane 1: it begins at lane 0"));
  EXPECT_THAT(fault_of({.address = "[%base+480]"}),
              HasSubstr("tcgen05.mma: D of columns 480-543 of tensor memory"));
  EXPECT_THAT(fault_of({.descriptor = 1u << 4 | 8u << 17 | 4u << 24,
                        .address = "[%base+1048576]",
                        .first = "[%base]"}),
              HasSubstr("D begins at lane 16, A at lane 0"));
  EXPECT_THAT(fault_of({.descriptor = f16_128x64 | 1u << 15, .first = "[%base+64]"}),
              HasSubstr("A in tensor memory is K-major"));
}

TEST(TensorMmaRefusals, SparseOperands) {
  const auto with = [](const char* kind, std::uint32_t bits, const char* metadata) {
    return fault_of({.form = kind, .descriptor = bits | 1u << 2, .metadata = metadata});
  };
  const char* const f16 = "sp.cta_group::1.kind::f16";
  EXPECT_EQ(with(f16, f16_128x64, "[%base+96], "), "");
  EXPECT_EQ(with(f16, f16_128x64, "[%base+97], "), "");
  EXPECT_EQ(with(f16, f16_128x64 | 1, "[%base+96], "), "");
  EXPECT_THAT(with(f16, f16_128x64 | 1, "[%base+97], "),
              HasSubstr("metadata at column 97 with sparsity selector 1 is not modelled"));
  for (const std::uint32_t selector : {2u, 3u})
    EXPECT_THAT(with(f16, f16_128x64 | selector, "[%base+96], "),
                HasSubstr("sparsity selector " + std::to_string(selector) + " is not modelled"));
  EXPECT_THAT(with("sp.cta_group::1.kind::i8", (f16_128x64 ^ 3u << 4) | 1, "[%base+96], "),
              HasSubstr("sparsity selector 1: it is 0 for this kind"));
  EXPECT_THAT(with(f16, f16_128x64, "[%base+65632], "),
              HasSubstr("the metadata at lane 1: it begins at lane 0"));
  EXPECT_THAT(with(f16, 1u << 4 | 8u << 17 | 4u << 24, "[%base+1048672], "),
              HasSubstr("D begins at lane 0, the metadata at lane 16"));
  EXPECT_THAT(fault_of({.form = "sp.cta_group::2.kind::mxf8f6f4.block_scale",
                        .descriptor = 1u << 2 | 1u << 23 | 8u << 17 | 1u << 27,
                        .operands = "[%base+128], [%base+160], %yes",
                        .metadata = "[%base+96], "},
                       true),
              HasSubstr("M 128: 256 with .cta_group::2, block scales and a sparse A"));
  EXPECT_THAT(fault_of({.form = "sp.cta_group::1.kind::mxf8f6f4.block_scale",
                        .descriptor = 1u | 1u << 2 | 1u << 23 | 8u << 17 | 1u << 27,
                        .operands = "[%base+128], [%base+160], %yes",
                        .metadata = "[%base+96], "}),
              HasSubstr("bits 0-1 of the instruction descriptor are 1, not 0"));
}

TEST(TensorMmaRefusals, WhatIsNotPublished) {
  EXPECT_THAT(fault_of({.form = "ws.cta_group::1.kind::f16", .operands = "%yes, %q3"}),
              HasSubstr("a column shift of 1 in the zero-column mask is not modelled"));
  EXPECT_THAT(fault_of({.form = "ws.cta_group::1.kind::f16",
                        .descriptor = 1u << 4 | 8u << 17 | 4u << 24,
                        .first = "[%base+128]"}),
              HasSubstr("A in tensor memory with .ws and M 64 is not modelled"));
  EXPECT_THAT(fault_of({.form = "cta_group::2.kind::mxf8f6f4.block_scale",
                        .descriptor = 1u << 23 | 8u << 17 | 1u << 27,
                        .operands = "[%base+128], [%base+160], %yes"},
                       true),
              HasSubstr("M 128 of a pair with block scales is not modelled"));
  EXPECT_THAT(
      fault_of({.form = "cta_group::1.kind::mxf4.block_scale",
                .descriptor = 1u << 7 | 1u << 10 | 1u << 23 | 8u << 17 | 1u << 27 | 1u << 29,
                .operands = "[%base+128], [%base+160], %yes"}),
      HasSubstr("scale id 1: 0 or 2"));
  EXPECT_THAT(fault_of({.form = "cta_group::1.kind::mxf8f6f4.block_scale",
                        .descriptor = 8u << 17 | 1u << 27,
                        .operands = "[%base+128], [%base+160], %yes"}),
              HasSubstr("scales of ue4m3 are of .block16"));
  EXPECT_THAT(fault_of({.form = "cta_group::2.kind::f16", .descriptor = f16_128x64}),
              HasSubstr("'.cta_group::2' after '.cta_group::1'"));
}

}  // namespace
