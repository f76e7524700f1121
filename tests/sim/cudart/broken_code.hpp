// For tests with device code that is broken.
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace broken_code {

inline const std::string text =
    ".version 8.0\n.target sm_80\n.address_size 64\n.entry nothing() { ret; }\n";

struct Wrapper {
  unsigned magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  const void* const* prelinked = nullptr;
};

inline void put(std::string& image, std::size_t at, std::size_t bytes, std::uint64_t value) {
  std::memcpy(image.data() + at, &value, bytes);
}

inline std::string entry(const std::string& payload, std::uint64_t kind,
                         std::uint64_t architecture = 80) {
  std::string bytes(64, '\0');
  put(bytes, 0, 2, kind);
  put(bytes, 4, 4, 64);
  put(bytes, 8, 8, payload.size());
  put(bytes, 28, 4, architecture);
  return bytes + payload;
}

inline std::string fatbin(const std::string& entries) {
  std::string bytes("\x50\xed\x55\xba\1\0\x10\0\0\0\0\0\0\0\0\0", 16);
  put(bytes, 8, 8, entries.size());
  return bytes + entries;
}

// A page whose end is the end of what can be read.
class LastPage {
 public:
  LastPage() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    memory_ = static_cast<char*>(
        mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_ + page_, page_, PROT_NONE);
  }
  LastPage(const LastPage&) = delete;
  LastPage& operator=(const LastPage&) = delete;
  ~LastPage() { munmap(memory_, 2 * page_); }
  char* end_with(const std::string& bytes) {
    return static_cast<char*>(
        std::memcpy(memory_ + page_ - bytes.size(), bytes.data(), bytes.size()));
  }

 private:
  std::size_t page_;
  char* memory_;
};

class Test : public testing::Test {
 protected:
  void SetUp() override {
    if (dlsym(RTLD_DEFAULT, "aispSimulated") == nullptr)
      GTEST_SKIP() << "NVIDIA's runtime reads what it is told to";
    ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  }
  void TearDown() override { cudaGetLastError(); }

  // What it says when the call gives that error.
  template <class Call>
  std::string said(Call call, int error = cudaErrorInvalidKernelImage) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(static_cast<int>(call()), error);
    return testing::internal::GetCapturedStderr();
  }
  std::string load(const void* code, int error = cudaErrorInvalidKernelImage) {
    cudaLibrary_t library = nullptr;
    return said(
        [&] {
          return cudaLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
        },
        error);
  }
  std::string load_file(const std::string& path) {
    cudaLibrary_t library = nullptr;
    return said([&] {
      return cudaLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr,
                                     0);
    });
  }

  LastPage page_;
};

}  // namespace broken_code
