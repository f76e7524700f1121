// What the fuzzers do, without clang and for a few seconds: texts made of the instruction tests and
// the seeds by a fixed sequence of mutations either decode or are refused with a line.
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <sstream>

#include "tests/sim/fuzz/decode_or_refuse.hpp"
#include "tests/sim/support/experiment.hpp"

using namespace aisp;

namespace {

class Random {
 public:
  std::size_t below(std::size_t limit) {  // xorshift64
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>(state_ % limit);
  }

 private:
  std::uint64_t state_ = 88172645463325252u;
};

std::vector<std::string> seeds() {
  constexpr std::size_t longest = 6000;
  const std::filesystem::path folder = std::filesystem::path(AISP_SOURCE_DIR) / "tests/sim";
  std::vector<std::string> texts;
  for (const char* where : {"instructions/ptx", "fuzz/seeds"})
    for (const auto& file : experiments::files_under(folder / where, ".ptx")) {
      std::stringstream text;
      text << std::ifstream(file).rdbuf();
      if (text.str().size() < longest) texts.push_back(text.str());
    }
  return texts;
}

// Where a word, a number or a mark begins and how long it is.
std::pair<std::size_t, std::size_t> token_near(const std::string& text, std::size_t at) {
  const auto in_word = [&](std::size_t i) {
    return std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_' ||
           text[i] == '%' || text[i] == ':';
  };
  if (!in_word(at)) return {at, 1};
  std::size_t first = at, last = at;
  while (first > 0 && in_word(first - 1)) --first;
  while (last + 1 < text.size() && in_word(last + 1)) ++last;
  return {first, last + 1 - first};
}

void mutate(std::string& text, const std::vector<std::string>& texts, Random& random) {
  constexpr std::string_view wild[] = {"0",     "-1",         "4294967296", "18446744073709551615",
                                       "{",     "}",          "[",          "]",
                                       ";",     "_",          "%",          "!",
                                       ".v4",   ".b64",       ".pred",      "(",
                                       "|",     "@",          ".sat",       "<",
                                       "1e999", "0f7fc00000", "+",          ",",
                                       ".cc\n", "\0",         "\xff",       "/*"};
  const std::size_t at = random.below(text.size());
  const auto [first, length] = token_near(text, at);
  const std::string& other = texts[random.below(texts.size())];
  const auto [from, count] = token_near(other, random.below(other.size()));
  switch (random.below(6)) {
    case 0:
      text.replace(first, length, other, from, count);
      break;
    case 1:
      text.replace(first, length, wild[random.below(std::size(wild))]);
      break;
    case 2:
      text.erase(at, random.below(40));
      break;
    case 3:
      text.insert(at, other, random.below(other.size()), random.below(80));
      break;
    case 4:
      text.insert(first, text.substr(first, length));
      break;
    default:
      text[at] = static_cast<char>(random.below(256));
  }
  if (text.empty()) text = ";";
}

TEST(Mutations, DecodeOrAreRefused) {
  constexpr int rounds = 6000;
  const std::vector<std::string> texts = seeds();
  ASSERT_GT(texts.size(), 100u);
  Random random;
  for (int round = 0; round < rounds; ++round) {
    std::string text = texts[random.below(texts.size())];
    for (std::size_t left = 1 + random.below(3); left > 0; --left) mutate(text, texts, random);
    // Aborts, or lets the exception escape, where the text is neither decoded nor refused.
    EXPECT_NO_THROW(decode_or_refuse(text)) << text;
  }
}

// Texts whose size is not what they ask for: refused, or decoded without taking the memory.
TEST(Mutations, NothingIsAllocatedBeyondReason) {
  const std::string header = ".version 9.0\n.target sm_90a\n.address_size 64\n";
  for (const char* text : {
           ".global .b8 a[1000000000000] = {1};",
           ".global .b8 a[65536][65536][65536];",
           ".global .align 4294967296 .b8 a[4];",
           ".entry k() { .reg .b32 r<2000000000>; ret; }",
           ".entry k() { .local .b8 a[1000000000000]; ret; }",
           ".entry k() { .shared .b8 a[1000000000000]; ret; }",
           ".entry k(.param .b8 a[16777216], .param .b8 b[16777216]) { ret; }",
           ".entry k() { .reg .b32 r; T: .branchtargets A<100000000>; brx.idx r, T; ret; }",
       })
    EXPECT_NO_THROW(decode_or_refuse(header + text)) << text;
  const std::string nested(100000, '{');
  EXPECT_NO_THROW(decode_or_refuse(header + ".entry k() " + nested));
}

}  // namespace
