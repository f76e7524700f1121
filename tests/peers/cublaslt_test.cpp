// The adapter without a device: a missing or unusable library is one clear line, and the library
// of the toolkit has every entry point that is used.
#include "peers/cublaslt/library.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refuse.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using testing::HasSubstr;

base::Refusal refusal_of(const std::vector<std::string>& names) {
  try {
    peers::load_cublaslt(names);
  } catch (const base::Refusal& refusal) {
    return refusal;
  }
  return {base::Exit::good, "loaded"};
}

TEST(CublasLt, MissingLibraryNamesWhatWasTriedAndTheWayOut) {
  const auto refusal = refusal_of({"libcublasLt_missing.so.1", "/nowhere/libcublasLt.so"});
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_THAT(refusal.what(), HasSubstr("cuBLASLt not found"));
  EXPECT_THAT(refusal.what(), HasSubstr("libcublasLt_missing.so.1, /nowhere/libcublasLt.so"));
  EXPECT_THAT(refusal.what(), HasSubstr("LD_LIBRARY_PATH"));
  EXPECT_THAT(refusal.what(), testing::Not(HasSubstr("\n")));
}

TEST(CublasLt, NoNameIsRefusedToo) {
  EXPECT_THAT(refusal_of({}).what(), HasSubstr("no name to try"));
}

TEST(CublasLt, AnotherLibraryIsNotTakenForIt) {
  const auto refusal = refusal_of({"libm.so.6"});
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_THAT(refusal.what(), HasSubstr("it has no cublasLtCreate"));
}

TEST(CublasLt, FirstNameThatLoadsWins) {
  EXPECT_THAT(refusal_of({"libcublasLt_missing.so.1", "libm.so.6"}).what(),
              HasSubstr("it has no cublasLtCreate"));
}

TEST(CublasLt, InstalledLibraryHasEveryEntryPoint) {
  void* installed = dlopen("libcublasLt.so.13", RTLD_LAZY);
  if (installed == nullptr)
    installed = dlopen("/usr/local/cuda/lib64/libcublasLt.so.13", RTLD_LAZY);
  if (installed == nullptr) GTEST_SKIP() << "no cuBLASLt on this machine";
  const auto& library = peers::cublaslt();
  EXPECT_THAT(library.status_string(CUBLAS_STATUS_NOT_SUPPORTED), HasSubstr("not supported"));
  EXPECT_NO_THROW(peers::check_cublaslt(library, CUBLAS_STATUS_SUCCESS, "nothing"));
  try {
    peers::check_cublaslt(library, CUBLAS_STATUS_NOT_SUPPORTED, "cublasLtMatmul");
    FAIL() << "a failed status must throw";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cublasLtMatmul: "));
  }
}

// A simulated device cannot run the library's machine code, and its kernels must not be tried.
class OnTheSimulator : public lab::Setup {
 public:
  const lab::Problem& problem() const override { throw std::logic_error("asked for the problem"); }
  void* scratch(std::size_t) override { throw std::logic_error("asked for memory"); }
  int multiprocessors() const override { return 132; }
  bool simulated() const override { return true; }
};

TEST(CublasLt, OnTheSimulatorEveryRungRefusesBeforeItDoesAnything) {
  OnTheSimulator setup;
  int rungs = 0;
  for (const auto& target : lab::all_targets())
    for (const auto& rung : lab::rungs_of(target)) {
      if (!rung.name.starts_with("cublas")) continue;
      ++rungs;
      try {
        rung.prepare(setup);
        ADD_FAILURE() << target.id() << ' ' << rung.name << " was prepared";
      } catch (const base::Refusal& refusal) {
        EXPECT_STREQ(refusal.what(), "cuBLASLt needs a GPU; this run is simulated");
      }
    }
  EXPECT_GE(rungs, 3);
}

// cuBLASLt is a peer beside the fp32 ladder, and the end of its own.
TEST(CublasLt, StandsWhereTheTargetsSay) {
  const auto find = [](const std::string& id) -> const lab::Rung& {
    for (const auto& target : lab::all_targets())
      if (target.id() == id) return lab::rungs_of(target).back();
    throw std::out_of_range(id);
  };
  EXPECT_TRUE(find("ch09:micro_tiling_matmul").peer);
  EXPECT_EQ(find("ch09:micro_tiling_matmul").name, "cublas_fp32");
  EXPECT_FALSE(find("ch09:cublaslt_gemm").peer);
  EXPECT_EQ(find("ch09:cublaslt_gemm").name, "cublaslt_search");
  EXPECT_EQ(find("roof:matrix").name, "cublaslt_search");
}

// Fused epilogues are held against both: a product in f32, and one in bf16 that is judged as such.
TEST(CublasLt, StandsBesideFusedEpiloguesWithWideAndNarrowIntermediates) {
  std::map<std::string, bool> rounds;
  for (const auto& target : lab::all_targets())
    if (target.id() == "ch10:epilogue_fusion")
      for (const auto& rung : lab::rungs_of(target))
        if (rung.peer && testing::Value(rung.variants, testing::Contains("silu")))
          rounds[rung.name] = rung.rounds_between;
  EXPECT_THAT(rounds, testing::ElementsAre(testing::Pair("cublaslt_and_pass", false),
                                           testing::Pair("cublaslt_bf16_and_pass", true)));
}

}  // namespace
