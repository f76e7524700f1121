#include "jit/build/compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jit/build/headers.hpp"
#include "jit/build/nvrtc.hpp"
#include "tests/support/files.hpp"

namespace aisp::jit {
namespace {

using lab::refusal_of;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

TEST(Nvrtc, ThatIsMissingIsRefusedWithTheWayOut) {
  const auto refusal = refusal_of([] { load_nvrtc({"libnvrtc_of_nobody.so.13"}); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_THAT(refusal.what(), MatchesRegex("NVRTC not found: tried libnvrtc_of_nobody.so.13 "
                                           "\\(.*\\); install the CUDA 13 toolkit, or set "
                                           "AISP_NVRTC_LIBRARY to its libnvrtc.so.13"));
}

TEST(Nvrtc, ThatIsAnotherLibraryIsRefused) {
  const auto refusal = refusal_of([] { load_nvrtc({"libc.so.6"}); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_STREQ(refusal.what(),
               "NVRTC is not usable: libc.so.6 has no nvrtcVersion; install the CUDA 13 toolkit, "
               "or set AISP_NVRTC_LIBRARY to its libnvrtc.so.13");
}

TEST(Compile, RefusesAnArchitectureThatNvrtcDoesNotKnow) {
  for (const char* unknown : {"sm_35", "sm_900", "hopper", "sm_90x", "sm_", "compute_1"}) {
    const auto refusal = refusal_of([&] { compile({"empty.cu", ""}, {.architecture = unknown}); });
    EXPECT_EQ(refusal.exit(), base::Exit::environment);
    EXPECT_THAT(refusal.what(), MatchesRegex(base::say("NVRTC [0-9.]* does not know ", unknown,
                                                       ": it compiles for sm_.*sm_90, .*")));
  }
}

TEST(Compile, SaysTheFirstErrorWithThePlaceInTheUsersFile) {
  try {
    compile({"kernel.cu",
             "#line 41 \"softmax.cpp\"\nextern \"C\" __global__ void f(float* x) {\n  x[0] = y;\n  "
             "z();\n}\n"},
            {.architecture = "compute_90a"});
    FAIL() << "nothing was refused";
  } catch (const BuildRefusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    EXPECT_STREQ(refusal.what(),
                 "kernel.cu: does not compile: softmax.cpp:42: identifier \"y\" is undefined (the "
                 "first of 2 errors)");
    EXPECT_THAT(refusal.log(), HasSubstr("softmax.cpp:43: error: identifier \"z\" is undefined"));
  }
}

TEST(Compile, SaysAnErrorOfTheAssembler) {
  const auto refusal = refusal_of([] {
    compile(
        {"asm.cu", "extern \"C\" __global__ void f() { asm volatile(\"frobnicate.u32 1;\"); }\n"});
  });
  EXPECT_EQ(refusal.exit(), base::Exit::usage);
  EXPECT_THAT(refusal.what(), StartsWith("asm.cu: does not compile: "));
  EXPECT_THAT(refusal.what(), HasSubstr("frobnicate"));
}

TEST(Compile, GivesMachineCodePtxResourcesAndTime) {
  const auto made =
      compile({"add.cu",
               "extern \"C\" __global__ void add(float* x) { __shared__ float kept[64];\n"
               "kept[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = kept[63 - "
               "threadIdx.x]; }\n"});
  EXPECT_THAT(made.cubin, StartsWith("\x7f"
                                     "ELF"));
  EXPECT_THAT(made.ptx, HasSubstr(".entry add("));
  ASSERT_EQ(made.resources.size(), 1u);
  EXPECT_EQ(made.resources[0].kernel, "add");
  EXPECT_GT(made.resources[0].registers, 0);
  EXPECT_GE(made.resources[0].shared, 256);
  EXPECT_EQ(made.log, "");
  EXPECT_GT(made.seconds, 0);
}

TEST(Compile, SeveralAtOnceKeepTheirOrder) {
  std::vector<KernelText> texts;
  for (const char* name : {"a", "b", "c"})
    texts.push_back({name, base::say("extern \"C\" __global__ void ", name, "() {}\n")});
  const auto made = compile_all(texts, {.architecture = "compute_90a"});
  ASSERT_EQ(made.size(), 3u);
  for (std::size_t at = 0; at < 3; ++at) {
    EXPECT_THAT(made[at].ptx, HasSubstr(base::say(".entry ", texts[at].name, "(")));
    EXPECT_EQ(made[at].cubin, "");
  }
  texts[1].code = "bad";
  texts[2].code = "worse";
  EXPECT_THAT(refusal_of([&] { compile_all(texts, {.architecture = "compute_90a"}); }).what(),
              StartsWith("b: does not compile: b:1: "));
}

// What is read from a folder is in no key of the cache.
TEST(Headers, AreNotTakenFromTheCurrentFolder) {
  const lab::TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::create_directories(folder.path() / "tile/arch");
  lab::write_text(folder.path() / "tile/arch/warp.cuh", "#error not the library's\n");
  lab::write_text(folder.path() / "mine.cuh", "");
  std::filesystem::current_path(folder.path());
  const auto compile_with = [](const std::string& header) {
    compile({"in.cu", "#include \"" + header + "\"\n"}, {.architecture = "compute_90a"});
  };
  EXPECT_NO_THROW(compile_with("tile/arch/warp.cuh"));
  EXPECT_STREQ(refusal_of([&] { compile_with("mine.cuh"); }).what(),
               "in.cu: does not compile: in.cu:1: cannot open source file \"mine.cuh\"");
  std::filesystem::current_path(before);
  for (const char* word : {"-I/usr/include", "--include-path=/usr", "-include=a.h"})
    EXPECT_THAT(refusal_of([&] { option_words({.further = {word}}); }).what(),
                StartsWith(base::say(word, ": files that a text includes from a folder")));
}

TEST(Headers, AllCompileTogether) {
  std::string text;
  int count = 0;
  for (const auto& header : kernel_headers())
    if (!header.name.ends_with(".inc") && ++count > 0)
      text += base::say("#include <", header.name, ">\n");
  EXPECT_GT(count, 80);
  EXPECT_EQ(compile({"all.cu", text}, {.architecture = "compute_90a"}).log, "");
}

TEST(Headers, OfTheStandardLibraryMeanWhatTheyMean) {
  const auto made = compile({"std.cu", R"(
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <cuda.h>
static_assert(sizeof(std::uint64_t) == 8 && sizeof(std::uintptr_t) == 8 && sizeof(std::int32_t) == 4);
static_assert(std::is_same_v<std::make_integer_sequence<int, 5>, std::integer_sequence<int, 0, 1, 2, 3, 4>>);
static_assert(std::is_same_v<std::make_index_sequence<0>, std::index_sequence<>>);
static_assert(std::numeric_limits<int>::max() == 2147483647 && std::numeric_limits<int>::min() == -2147483647 - 1);
static_assert(std::numeric_limits<unsigned char>::max() == 255 && std::numeric_limits<long>::max() == 0x7FFFFFFFFFFFFFFF);
static_assert(std::numeric_limits<signed char>::min() == -128 && std::numeric_limits<unsigned long>::max() == ~0ul);
static_assert(std::bit_cast<unsigned>(std::numeric_limits<float>::infinity()) == 0x7F800000u);
static_assert(std::numeric_limits<double>::quiet_NaN() != std::numeric_limits<double>::quiet_NaN());
static_assert(std::convertible_to<int, double> && !std::convertible_to<int*, int> && std::convertible_to<void, void>);
struct Base {}; struct Derived : Base {}; struct Private : private Base {};
static_assert(std::derived_from<Derived, Base> && !std::derived_from<Base, Derived> && !std::derived_from<Private, Base>);
struct NeedsOne { NeedsOne(int); };
static_assert(std::default_initializable<Base> && !std::default_initializable<NeedsOne>);
static_assert(std::is_convertible_v<int, NeedsOne> && std::is_signed_v<float> && !std::is_signed_v<unsigned>);
static_assert(std::is_same_v<std::remove_cv_t<const volatile int>, int> && std::is_same_v<std::remove_cvref_t<const int&>, int>);
static_assert(std::is_pointer_v<int* const> && !std::is_pointer_v<int> && std::has_single_bit(64u) && !std::has_single_bit(0u));
static_assert(std::array<int, 3>{1, 2, 3}[2] == 3 && std::array<int, 3>::size() == 3);
static_assert(sizeof(CUtensorMap) == 128 && alignof(CUtensorMap) == 128);
)"},
                            {.architecture = "compute_90a"});
  EXPECT_EQ(made.log, "");
}

}  // namespace
}  // namespace aisp::jit
