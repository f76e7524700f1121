#include "app/tune/tuned_store.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include "base/refuse.hpp"
#include "lab/record/file.hpp"

namespace aisp::app {
namespace {

constexpr const char* way_out = "free space there or set AISP_HOME to another folder";

// Held until it goes out of scope. The folder itself is locked, so that no file is left behind.
lab::FileDescriptor lock(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  lab::FileDescriptor locked(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (locked.get() < 0) lab::refuse_file("open", folder, way_out);
  // A file system without locks is no failure: what could be lost is one line of two at once.
  ::flock(locked.get(), LOCK_EX);
  return locked;
}

}  // namespace

void keep_tuned(const std::filesystem::path& path, const tile::device::TunedDevice& device,
                const tile::device::GemmKey& key, const tile::device::TunedChoice& choice) {
  const lab::FileDescriptor held = lock(path.parent_path());
  tile::device::TunedTable table = tile::device::read_tuned(path, device);
  table.gemm[key] = choice;
  lab::replace_file(path, tile::device::to_text(table), way_out);
}

}  // namespace aisp::app
