#include "chapters/ch10/gpudirect_storage/cufile.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "base/refuse.hpp"
#include "base/shared_library.hpp"

namespace aisp::ch10 {
namespace {

constexpr unsigned nvme_to_gpu = 1u
                                 << 11;  // of the status: the kernel's own way, without nvidia-fs

void require(CuFileError error, const char* what) {
  if (error.file != 0)
    base::refuse(base::Exit::environment, what, " answers ", error.file,
                 error.cuda != 0 ? base::say(" (CUDA driver error ", error.cuda, ")") : "");
}

}  // namespace

CuFileCalls load_cufile(const char* library) {
  // Without this a file cufile.log appears wherever one happens to be.
  setenv("CUFILE_LOGFILE_PATH", "/dev/null", 0);
  const base::SharedLibrary opened(library);
  if (!opened) base::refuse(base::Exit::environment, "no cuFile: ", opened.problem());
  const auto find = [&](auto& call, const char* name) {
    if (!opened.find(call, name))
      base::refuse(base::Exit::environment, "no cuFile: ", library, " has no ", name);
  };
  CuFileCalls calls;
  find(calls.driver_open, "cuFileDriverOpen");
  find(calls.driver_close, "cuFileDriverClose_v2");
  find(calls.get_properties, "cuFileDriverGetProperties");
  find(calls.register_file, "cuFileHandleRegister");
  find(calls.forget_file, "cuFileHandleDeregister");
  find(calls.register_memory, "cuFileBufRegister");
  find(calls.forget_memory, "cuFileBufDeregister");
  find(calls.read, "cuFileRead");
  return calls;
}

CuFile::CuFile(const CuFileCalls& calls, void* memory, std::int64_t bytes)
    : calls_(calls), memory_(memory) {
  require(calls_.driver_open(), "cuFileDriverOpen");
  // Memory that is not registered is read into as well, by way of the library's own.
  registered_ = calls_.register_memory(memory, static_cast<std::size_t>(bytes), 0).file == 0;
}

CuFile::~CuFile() {
  for (const auto& [file, handle] : handles_) calls_.forget_file(handle);
  if (registered_) calls_.forget_memory(memory_);
  calls_.driver_close();
}

void CuFile::add(const File& file) {
  if (handles_.contains(&file)) return;
  CuFileDescriptor descriptor;
  descriptor.file.fd = file.get();
  void* handle = nullptr;
  require(calls_.register_file(&handle, &descriptor), "cuFileHandleRegister");
  handles_[&file] = handle;
}

void CuFile::read(const File& file, const Chunk& chunk, std::int64_t memory_offset) const {
  void* handle = handles_.at(&file);
  for (std::int64_t done = 0; done < chunk.bytes;) {
    errno = 0;
    const auto got = calls_.read(handle, memory_, static_cast<std::size_t>(chunk.bytes - done),
                                 chunk.offset + done, memory_offset + done);
    if (got < 0)
      throw std::runtime_error(base::say(
          "cuFileRead of ", file.name(), " at byte ", chunk.offset + done,
          got == -1 ? base::say(": ", std::strerror(errno)) : base::say(" answers ", -got)));
    if (got == 0)
      throw std::runtime_error(base::say("short read: ", file.name(), " ends at byte ",
                                         chunk.offset + done, " and should go on to byte ",
                                         chunk.offset + chunk.bytes, "; did something cut it?"));
    done += got;
  }
}

std::string CuFile::description() const {
  CuFileProperties properties{};
  if (calls_.get_properties(&properties).file != 0) return "cuFile";
  const auto& driver = properties.driver;
  if (driver.major != 0 || driver.minor != 0)
    return base::say("cuFile, nvidia-fs ", driver.major, '.', driver.minor, " loaded");
  return (driver.status & nvme_to_gpu) != 0
             ? "cuFile, nvidia-fs not loaded, NVMe to GPU by the kernel possible"
             : "cuFile in its compatibility mode: nvidia-fs is not loaded, data go through host "
               "memory";
}

}  // namespace aisp::ch10
