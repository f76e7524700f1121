#include "sim/runtime/memory/shared_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

struct Import {
  std::uint64_t base = 0;
  int opened = 0;
};
struct Shared {
  std::mutex exporting;                // of one allocation at a time; held while the executor runs
  std::mutex mutex;                    // of what follows; the executor takes it when it frees
  std::map<std::uint64_t, int> files;  // of shared allocations, by base
  std::map<std::uint64_t, Import> imports;     // by the file's identity
  std::map<std::uint64_t, std::uint64_t> ids;  // of imports, by base
};
Shared& shared() {
  static auto* const all = new Shared;
  return *all;
}

int file_of(std::uint64_t base) {  // -1: not shared
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  const auto at = all.files.find(base);
  return at == all.files.end() ? -1 : at->second;
}

// The whole pages around an allocation, which it has for itself.
struct Pages {
  std::uint64_t first, bytes;
  void* at() const { return reinterpret_cast<void*>(first); }
};
Pages pages_of(std::uint64_t base, std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t first = base / page * page;
  return {first, (base + bytes + page - 1) / page * page - first};
}

void put_file_there(const Pages& pages, int file) {
  void* mapped =
      mmap(pages.at(), pages.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
  require(mapped != MAP_FAILED, cudaErrorMemoryAllocation);
  madvise(mapped, pages.bytes, MADV_DONTDUMP);
}

void move_to_file(const Pages& pages, int file) {
  for (std::uint64_t done = 0; done < pages.bytes;) {
    const ssize_t written = pwrite(file, static_cast<const char*>(pages.at()) + done,
                                   pages.bytes - done, static_cast<off_t>(done));
    require(written > 0, cudaErrorMemoryAllocation);
    done += static_cast<std::uint64_t>(written);
  }
  put_file_there(pages, file);
}

}  // namespace

SegmentHandle export_memory(const void* pointer, const BetweenOperations& between_operations,
                            bool pooled) {
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(pointer));
  require(found && found->kind == MemoryKind::device && found->name.empty() &&
          found->pooled == pooled);
  require(!is_imported(found->base));
  Shared& all = shared();
  const std::lock_guard one_at_a_time(all.exporting);
  int file = file_of(found->base);
  if (file < 0) {
    const Pages pages = pages_of(found->base, found->bytes);
    file = create_segment(pages.bytes);
    try {
      between_operations([&] { move_to_file(pages, file); });
    } catch (...) {
      close(file);
      throw;
    }
    const std::lock_guard lock(all.mutex);
    all.files[found->base] = file;
  }
  return handle_of_segment(file, SegmentKind::memory, found->bytes, found->device);
}

void* import_memory(const SegmentHandle& handle) {
  const int file = open_segment(handle, SegmentKind::memory, 1);
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  Import& import = all.imports[handle.identity];
  if (import.opened == 0) {
    Memory& memory = Runtime::get().memory;
    const int device = handle.device < memory.devices() ? handle.device : current_device();
    void* base = memory.allocate_on(device, handle.bytes, MemoryKind::device);
    try {
      require(base != nullptr, cudaErrorMemoryAllocation);
      import.base = reinterpret_cast<std::uint64_t>(base);
      put_file_there(pages_of(import.base, handle.bytes), file);
    } catch (...) {
      if (base != nullptr) memory.release(base);
      all.imports.erase(handle.identity);
      close(file);
      throw;
    }
    if (device != current_device()) memory.let_reach(current_device(), device, true);
    all.ids[import.base] = handle.identity;
    all.files[import.base] = file;
  } else {
    close(file);
  }
  ++import.opened;
  return reinterpret_cast<void*>(import.base);
}

bool close_import(const void* pointer) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  const auto id = all.ids.find(reinterpret_cast<std::uint64_t>(pointer));
  require(id != all.ids.end());
  return --all.imports[id->second].opened == 0;
}

bool is_imported(std::uint64_t base) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  return all.ids.contains(base);
}

void unshare_memory(std::uint64_t base, std::uint64_t bytes) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  const auto at = all.files.find(base);
  if (at == all.files.end()) return;
  const Pages pages = pages_of(base, bytes);
  mmap(pages.at(), pages.bytes, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  madvise(pages.at(), pages.bytes, MADV_DONTDUMP);
  close(at->second);
  all.files.erase(at);
  if (const auto id = all.ids.find(base); id != all.ids.end()) {
    all.imports.erase(id->second);
    all.ids.erase(id);
  }
}

}  // namespace aisp::sim
