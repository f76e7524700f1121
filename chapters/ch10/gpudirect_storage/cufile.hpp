// cuFile, NVIDIA's way from a file into device memory, loaded at first use: its header is not part
// of every toolkit, so what is needed of it is declared here. Where the library or what it stands
// on does not answer, the reason is one line.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "chapters/ch10/gpudirect_storage/file.hpp"
#include "chapters/ch10/gpudirect_storage/ring.hpp"

namespace aisp::ch10 {

// The library's own types, field by field.
struct CuFileError {
  int file = 0;  // 0: good; 5001 and above: what went wrong
  int cuda = 0;  // the driver's error where `file` says that it was the driver
};
struct CuFileDescriptor {
  int type = 1;  // a Linux file descriptor
  union {
    int fd;
    void* handle;
  } file{};
  const void* operations = nullptr;
};
struct CuFileProperties {
  struct {
    unsigned major, minor;  // of the kernel module nvidia-fs; 0 where it is not loaded
    std::size_t poll_threshold, largest_direct;
    unsigned status, control;
  } driver;
  unsigned rest[64];  // grows from version to version
};
static_assert(sizeof(CuFileError) == 8 && sizeof(CuFileDescriptor) == 24);

// The calls that are used. Tests put others in their place.
struct CuFileCalls {
  CuFileError (*driver_open)() = nullptr;
  CuFileError (*driver_close)() = nullptr;
  CuFileError (*get_properties)(CuFileProperties*) = nullptr;
  CuFileError (*register_file)(void** handle, CuFileDescriptor*) = nullptr;
  void (*forget_file)(void* handle) = nullptr;
  CuFileError (*register_memory)(const void* memory, std::size_t bytes, int flags) = nullptr;
  CuFileError (*forget_memory)(const void* memory) = nullptr;
  ssize_t (*read)(void* handle, void* memory, std::size_t bytes, off_t file_offset,
                  off_t memory_offset) = nullptr;
};

// Refuses (Exit::environment) with the loader's words, or the name of a call that is missing.
CuFileCalls load_cufile(const char* library = "libcufile.so.0");

// The library opened, with the device memory that it reads into.
class CuFile {
 public:
  // Refuses (Exit::environment) with the number of the error.
  CuFile(const CuFileCalls& calls, void* memory, std::int64_t bytes);
  CuFile(const CuFile&) = delete;
  CuFile& operator=(const CuFile&) = delete;
  ~CuFile();

  // Refuses where the library does not take the file.
  void add(const File& file);
  // Blocks until the bytes are in device memory. Throws like File::read.
  void read(const File& file, const Chunk& chunk, std::int64_t memory_offset) const;

  std::string description() const;

 private:
  CuFileCalls calls_;
  void* memory_;
  bool registered_ = false;
  std::map<const File*, void*> handles_;
};

}  // namespace aisp::ch10
