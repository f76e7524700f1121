// cuFile behind its calls: what is asked of the library, and what its answers become.
#include "chapters/ch10/gpudirect_storage/cufile.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/refuse.hpp"
#include "tests/support/files.hpp"

namespace aisp::ch10 {
namespace {

constexpr std::int64_t bytes = 3000;

// A library that reads into host memory. Plain functions reach nothing but globals.
struct FakeLibrary {
  int opened = 0, closed = 0, files = 0, memories = 0;
  CuFileError open_answer, file_answer, memory_answer;
  ssize_t most = 1000;  // bytes of one answer
  ssize_t error = 0;    // answered instead, where not 0
  unsigned major = 0, status = 0;
};
FakeLibrary fake;

CuFileError driver_open() { return ++fake.opened, fake.open_answer; }
CuFileError driver_close() { return ++fake.closed, CuFileError{}; }
CuFileError get_properties(CuFileProperties* properties) {
  properties->driver.major = fake.major;
  properties->driver.status = fake.status;
  return {};
}
CuFileError register_file(void** handle, CuFileDescriptor* descriptor) {
  *handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor->file.fd));
  fake.files += descriptor->type == 1 && fake.file_answer.file == 0;
  return fake.file_answer;
}
void forget_file(void*) { --fake.files; }
CuFileError register_memory(const void*, std::size_t, int) {
  fake.memories += fake.memory_answer.file == 0;
  return fake.memory_answer;
}
CuFileError forget_memory(const void*) { return --fake.memories, CuFileError{}; }
ssize_t read(void* handle, void* memory, std::size_t size, off_t file_offset, off_t memory_offset) {
  if (fake.error != 0) return errno = EIO, fake.error;
  const auto file = static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
  return pread(file, static_cast<char*>(memory) + memory_offset,
               std::min(size, static_cast<std::size_t>(fake.most)), file_offset);
}

constexpr CuFileCalls calls{driver_open, driver_close,    get_properties, register_file,
                            forget_file, register_memory, forget_memory,  read};

class StorageCuFile : public testing::Test {
 protected:
  StorageCuFile() : data_(bytes), memory_(2 * bytes) {
    fake = {};
    std::iota(data_.begin(), data_.end(), char{1});
    file_ = make_nameless(folder_.path().string());
    file_.write(data_.data(), bytes, 0, bytes);
  }
  std::string refusal(const std::function<void()>& work) {
    const base::Refusal refusal = lab::refusal_of(work);
    EXPECT_EQ(refusal.exit(), base::Exit::environment);
    return refusal.what();
  }

  lab::TemporaryFolder folder_;
  File file_;
  std::vector<char> data_, memory_;
};

TEST_F(StorageCuFile, ReadsToTheEndInAsManyAnswersAsItTakes) {
  {
    CuFile library(calls, memory_.data(), 2 * bytes);
    library.add(file_);
    library.add(file_);
    EXPECT_EQ(fake.files, 1) << "a file is registered once";
    library.read(file_, {500, 2500}, 100);
    EXPECT_EQ(std::vector(memory_.begin() + 100, memory_.begin() + 2600),
              std::vector(data_.begin() + 500, data_.end()));
    EXPECT_EQ(fake.memories, 1);
  }
  EXPECT_EQ(fake.opened, 1);
  EXPECT_EQ(fake.closed, 1);
  EXPECT_EQ(fake.files, 0) << "and forgotten before the library is closed";
  EXPECT_EQ(fake.memories, 0);
}

TEST_F(StorageCuFile, SaysWhereAReadEndsOrFails) {
  CuFile library(calls, memory_.data(), 2 * bytes);
  library.add(file_);
  const auto error_of_read = [&] {
    try {
      library.read(file_, {1000, 2500}, 0);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(error_of_read().find("ends at byte 3000 and should go on to byte 3500"),
            std::string::npos);
  fake.error = -1;
  EXPECT_NE(error_of_read().find("at byte 1000: Input/output error"), std::string::npos);
  fake.error = -5030;
  EXPECT_NE(error_of_read().find("at byte 1000 answers 5030"), std::string::npos);
}

TEST_F(StorageCuFile, RefusesWithTheLibrarysNumber) {
  fake.open_answer = {5001, 0};
  EXPECT_EQ(refusal([&] { CuFile(calls, memory_.data(), bytes); }),
            "cuFileDriverOpen answers 5001");
  fake.open_answer = {};
  fake.memory_answer = {5011, 100};
  {
    CuFile library(calls, memory_.data(), bytes);  // reads by way of the library's own memory
    fake.file_answer = {5011, 999};
    EXPECT_EQ(refusal([&] { library.add(file_); }),
              "cuFileHandleRegister answers 5011 (CUDA driver error 999)");
  }
  EXPECT_EQ(fake.memories, 0);
  EXPECT_EQ(fake.files, 0);
}

TEST_F(StorageCuFile, SaysWhichWayTheDataGo) {
  const CuFile library(calls, memory_.data(), bytes);
  EXPECT_NE(library.description().find("compatibility mode"), std::string::npos);
  fake.status = 1u << 11;
  EXPECT_NE(library.description().find("NVMe to GPU"), std::string::npos);
  fake.major = 2;
  EXPECT_EQ(library.description(), "cuFile, nvidia-fs 2.0 loaded");
}

TEST_F(StorageCuFile, ALibraryThatIsNotThereIsNamed) {
  const auto missing = refusal([] { load_cufile("libcufile_nowhere.so.0"); });
  EXPECT_TRUE(missing.starts_with("no cuFile: libcufile_nowhere.so.0: cannot open")) << missing;
  EXPECT_EQ(refusal([] { load_cufile("libm.so.6"); }),
            "no cuFile: libm.so.6 has no cuFileDriverOpen");
}

}  // namespace
}  // namespace aisp::ch10
