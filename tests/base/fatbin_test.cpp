// Containers whose sizes do not hold: the reader gets the bytes that are there and believes nothing
// else.
#include "base/fatbin.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

using namespace aisp::base;

namespace {

const std::string text = ".version 9.0\n.target sm_80\n.address_size 64\n";
constexpr std::uint64_t lz4 = 0x2000, zstd = 0x8000;

void put(std::string& image, std::size_t at, std::size_t bytes, std::uint64_t value) {
  std::memcpy(image.data() + at, &value, bytes);
}

std::string entry(const std::string& payload, int kind = 1, std::uint64_t flags = 0,
                  std::uint64_t plain_size = 0) {
  std::string bytes(64, '\0');
  put(bytes, 0, 2, static_cast<std::uint64_t>(kind));
  put(bytes, 4, 4, 64);
  put(bytes, 8, 8, payload.size());
  put(bytes, 16, 4, flags != 0 ? payload.size() : 0);
  put(bytes, 28, 4, 80);
  put(bytes, 40, 8, flags);
  put(bytes, 56, 8, plain_size);
  return bytes + payload;
}

std::string fatbin(const std::string& entries) {
  std::string bytes(16, '\0');
  put(bytes, 0, 4, fatbin_magic);
  put(bytes, 4, 2, 1);
  put(bytes, 6, 2, 16);
  put(bytes, 8, 8, entries.size());
  return bytes + entries;
}

// Of a copy without a byte behind it, so that a sanitizer sees what reads past its end.
std::string refusal(const std::string& code) {
  const std::vector<char> exact(code.begin(), code.end());
  try {
    for (const Image& image : read_images({exact.data(), exact.size()})) plain_bytes(image);
  } catch (const BrokenCode& broken) {
    return broken.what();
  }
  return "";
}

std::string with(std::string code, std::size_t at, std::size_t bytes, std::uint64_t value) {
  put(code, at, bytes, value);
  return code;
}

TEST(Fatbin, EntriesAreRead) {
  const std::string code = fatbin(entry("other", 99) + entry(text)) + "behind it";
  const auto images = read_images(code);
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].kind, Image::Kind::other);
  EXPECT_EQ(images[1].target(), "sm_80");
  EXPECT_EQ(ptx_text(images[1]), text);
  EXPECT_EQ(refusal(fatbin(entry(text) + std::string(63, '\0'))), "") << "padding";
}

TEST(Fatbin, SizesOfTheContainerAreChecked) {
  const std::string good = fatbin(entry(text));
  EXPECT_EQ(refusal(good), "");
  EXPECT_EQ(refusal(with(good, 4, 2, 7)), "fatbin of version 7, known is 1");
  for (const std::uint64_t header : {0, 1, 15})
    EXPECT_NE(refusal(with(good, 6, 2, header)).find("header of"), std::string::npos) << header;
  const std::uint64_t size = good.size() - 16;
  for (const std::uint64_t wrong : {size + 1, size + 4096, std::uint64_t{1} << 40,
                                    ~std::uint64_t{0}, ~std::uint64_t{0} - 15, size - 1, size - 8})
    EXPECT_NE(refusal(with(good, 8, 8, wrong)), "") << wrong;
  for (std::size_t cut = 4; cut < good.size(); ++cut)
    EXPECT_NE(refusal(good.substr(0, cut)), "") << cut;
  EXPECT_NE(refusal(fatbin(entry(text) + std::string(63, 'x'))).find("after its last entry"),
            std::string::npos);
}

TEST(Fatbin, SizesOfEntriesAreChecked) {
  const std::string good = fatbin(entry(text) + entry("x", 99));
  constexpr std::size_t at = 16;
  for (const std::uint64_t header : {0u, 63u, 1u << 20, ~0u})
    EXPECT_NE(refusal(with(good, at + 4, 4, header)).find("are left"), std::string::npos);
  for (const std::uint64_t bytes :
       {std::uint64_t{1} << 20, ~std::uint64_t{0}, ~std::uint64_t{0} - 63, std::uint64_t{1} << 63})
    EXPECT_NE(refusal(with(good, at + 8, 8, bytes)).find("are left"), std::string::npos) << bytes;
  EXPECT_NE(refusal(with(good, at + 16, 4, ~0u)).find("compressed bytes"), std::string::npos);
  EXPECT_NE(refusal(with(good, at + 28, 4, ~0u)).find("architecture 4294967295"),
            std::string::npos);
}

// "abab…": a literal of two bytes and a match, then the last literals.
std::string lz4_block(int repeats) {
  std::string block = {'\x2f', 'a', 'b', 2, 0};
  for (int left = repeats - 19; left >= 0; left -= 255)
    block += static_cast<char>(left < 255 ? left : 255);
  return block + std::string{'\x10', 'c'};
}

TEST(Fatbin, WhatIsDecompressedHasTheStatedSize) {
  const std::string block = lz4_block(100);
  const auto lz4_entry = [&](std::uint64_t size) { return fatbin(entry(block, 1, lz4, size)); };
  const std::string good = lz4_entry(103);
  const auto images = read_images(good);
  std::string expected;
  for (int i = 0; i < 51; ++i) expected += "ab";
  EXPECT_EQ(plain_bytes(images[0]), expected + "c");
  for (const std::uint64_t wrong : {102, 104, 1})
    EXPECT_EQ(refusal(lz4_entry(wrong)), "broken LZ4 block in a fatbin") << wrong;
  EXPECT_EQ(refusal(lz4_entry(0)), "compressed fatbin entry that states no size");
  for (std::size_t cut = 0; cut < block.size(); ++cut)
    EXPECT_NE(refusal(fatbin(entry(block.substr(0, cut), 1, lz4, 103))), "") << cut;
}

// A few bytes do not make the reader take a gigabyte before it looks at them.
TEST(Fatbin, BombsAreRefusedBeforeMemoryIsTaken) {
  for (const std::uint64_t flag : {lz4, zstd})
    for (const std::uint64_t size : {std::uint64_t{1} << 24, std::uint64_t{1} << 30,
                                     std::uint64_t{1} << 31, ~std::uint64_t{0}})
      EXPECT_NE(refusal(fatbin(entry("a few bytes", 1, flag, size))).find("would decompress to"),
                std::string::npos)
          << size;
  EXPECT_EQ(refusal(fatbin(entry("a few bytes", 1, zstd, 100))), "broken zstd frame in a fatbin");
}

TEST(Fatbin, ElfImagesAreAsLongAsTheirTables) {
  std::string elf(64, '\0');
  put(elf, 0, 4, elf_magic);
  put(elf, 4, 1, 2);     // 64 bits
  put(elf, 18, 2, 190);  // a GPU
  EXPECT_EQ(refusal(elf), "");
  EXPECT_NE(refusal(elf.substr(0, 63)).find("shorter than its header"), std::string::npos);
  EXPECT_NE(refusal(with(elf, 18, 2, 62)).find("machine 62"), std::string::npos);
  EXPECT_NE(refusal(with(elf, 40, 8, ~std::uint64_t{0})).find("a table at"), std::string::npos);
  std::string tables = elf;
  put(tables, 40, 8, 64);  // sections: where, of what size, how many
  put(tables, 58, 2, 64);
  put(tables, 60, 2, 2);
  EXPECT_EQ(refusal(tables), "ELF image of 192 bytes, of which 64 are there");
  EXPECT_EQ(refusal(tables + std::string(128, '\0')), "");
}

TEST(Fatbin, TextNeedsATarget) {
  EXPECT_EQ(refusal(text), "");
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal("no PTX"), "");
  EXPECT_NE(refusal(".target sm_99999999999999999999"), "");
  EXPECT_NE(refusal(std::string("\0.target sm_80", 14)), "") << "it ends at the first zero";
  EXPECT_NE(refusal(std::string("\xb1\x43\x62\x46", 4) + text).find("holds pointers"),
            std::string::npos);
}

}  // namespace
