// Device code that is broken, or not there as far as it says: refused with one line, whichever way
// it comes. tests/sim/fatbin does the same with thousands of mutants.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/sim/cudart/broken_code.hpp"

namespace {

using broken_code::text;
using broken_code::Wrapper;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class BrokenCode : public broken_code::Test {};

template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
  EXPECT_EQ(cudaGetDriverEntryPointByVersion(name, &found, 13000, cudaEnableDefault, nullptr),
            cudaSuccess);
  return reinterpret_cast<Function>(found);
}

TEST_F(BrokenCode, ATextEndsWhereMemoryDoes) {
  EXPECT_EQ(load(page_.end_with(text + '\0'), cudaSuccess), "");
  EXPECT_THAT(load(page_.end_with(text)),
              AllOf(StartsWith("aisp sim: a loaded library cannot be read: "),
                    HasSubstr("no zero ends it")));
  EXPECT_THAT(load(page_.end_with("")), HasSubstr("no zero ends it"));
  EXPECT_THAT(load(page_.end_with("\x50\xed")), HasSubstr("no zero ends it"));
}

TEST_F(BrokenCode, AContainerIsNotLongerThanMemory) {
  std::string header("\x50\xed\x55\xba\1\0\x10\0\xe8\3\0\0\0\0\0\0", 16);  // 1,000 bytes
  EXPECT_THAT(load(page_.end_with(header)), HasSubstr("fatbin of 1016 bytes at address"));
  EXPECT_THAT(load(page_.end_with(header.substr(0, 8))), HasSubstr("fatbin header of 16 bytes"));
  EXPECT_THAT(load(page_.end_with("\x7f"
                                  "ELF")),
              HasSubstr("ELF header of 64 bytes"));
}

TEST_F(BrokenCode, AWrapperLeadsToCode) {
  Wrapper wrapper;
  EXPECT_THAT(load(&wrapper), HasSubstr("cannot be read"));  // null
  wrapper.data = &wrapper;
  EXPECT_THAT(load(&wrapper), HasSubstr("leads to a wrapper"));
  wrapper.data = page_.end_with("") + 100;
  EXPECT_THAT(load(&wrapper), HasSubstr("cannot be read"));
  wrapper.data = page_.end_with(text + '\0');
  EXPECT_EQ(load(&wrapper, cudaSuccess), "");
  wrapper.version = 3;
  EXPECT_THAT(load(&wrapper), HasSubstr("version 3"));
}

// Its bytes are no pointers of this process.
TEST_F(BrokenCode, AFileIsNotFollowedIntoMemory) {
  const std::string path = testing::TempDir() + "aisp_broken_code";
  const Wrapper wrapper{.data = reinterpret_cast<void*>(0x123456789a)};
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(&wrapper), sizeof wrapper);
  EXPECT_THAT(load_file(path), HasSubstr("holds pointers"));
  std::ofstream(path, std::ios::binary) << "\x50\xed\x55\xba";
  EXPECT_THAT(load_file(path), HasSubstr("shorter than its header"));
  ASSERT_EQ(truncate(path.c_str(), std::int64_t{1} << 40), 0);
  EXPECT_THAT(load_file(path), HasSubstr("at most are 2147483648"));
  unlink(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(load_file(path), HasSubstr("no regular file"));
  unlink(path.c_str());
  EXPECT_THAT(load_file("/dev/zero"), HasSubstr("no regular file"));
  EXPECT_THAT(load_file("/"), HasSubstr("no regular file"));
}

TEST_F(BrokenCode, TheLinkerReadsWhatIsThere) {
  const auto add = driver_function<PFN_cuLinkAddData_v6050>("cuLinkAddData");
  CUlinkState state = nullptr;
  ASSERT_EQ(driver_function<PFN_cuLinkCreate_v6050>("cuLinkCreate")(0, nullptr, nullptr, &state),
            CUDA_SUCCESS);
  const auto given = [&](const std::string& bytes, std::size_t size, int error) {
    char* const data = page_.end_with(bytes);
    return said(
        [&] {
          return add(state, CU_JIT_INPUT_FATBINARY, data, size, "an input", 0, nullptr, nullptr);
        },
        error);
  };
  EXPECT_EQ(given(text, text.size(), CUDA_SUCCESS), "");  // its size ends it
  EXPECT_THAT(given(text, text.size() + 1, CUDA_ERROR_INVALID_IMAGE), HasSubstr("can be read"));
  EXPECT_THAT(given(text, ~std::size_t{0}, CUDA_ERROR_INVALID_IMAGE), HasSubstr("can be read"));
  EXPECT_THAT(given(std::string("\x50\xed\x55\xba\1\0\x10\0\xe8\3\0\0\0\0\0\0", 16), 16,
                    CUDA_ERROR_INVALID_IMAGE),
              HasSubstr("an input cannot be read: fatbin of 1016 bytes, of which 16 are there"));
  EXPECT_EQ(driver_function<PFN_cuLinkDestroy_v5050>("cuLinkDestroy")(state), CUDA_SUCCESS);
}

TEST_F(BrokenCode, TheErrorLogHasTheReason) {
  char log[400] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module = nullptr;
  const auto words = said([&] {
    return driver_function<PFN_cuModuleLoadDataEx_v2010>("cuModuleLoadDataEx")(
        &module, page_.end_with(text), 2, options, values);
  });
  EXPECT_THAT(words, HasSubstr("a loaded module cannot be read"));
  EXPECT_THAT(log, HasSubstr("no zero ends it"));
}

}  // namespace
