#include "sim/runtime/state/static_runtime.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace aisp::sim {
namespace {

// An ELF file as it lies on the disk; what does not fit into it is not there.
class ElfFile {
 public:
  explicit ElfFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status {};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
      bytes_ = static_cast<std::size_t>(status.st_size);
      void* mapped = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
      if (mapped != MAP_FAILED) data_ = static_cast<const char*>(mapped);
    }
    close(file);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile() {
    if (data_ != nullptr) munmap(const_cast<char*>(data_), bytes_);
  }

  std::vector<Elf64_Shdr> sections() const {
    const auto* header = at<Elf64_Ehdr>(0, 1);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64)
      return {};
    const auto* first = at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
    if (first == nullptr) return {};
    return {first, first + header->e_shnum};
  }
  std::size_t names_section() const { return at<Elf64_Ehdr>(0, 1)->e_shstrndx; }

  std::string_view text(const Elf64_Shdr& strings, std::uint64_t offset) const {
    if (offset >= strings.sh_size || at<char>(strings.sh_offset, strings.sh_size) == nullptr)
      return {};
    const char* begin = data_ + strings.sh_offset + offset;
    return {begin, strnlen(begin, strings.sh_size - offset)};
  }

  // `count` of them at an offset, or null.
  template <class T>
  const T* at(std::uint64_t offset, std::uint64_t count) const {
    if (data_ == nullptr || offset > bytes_ || count > (bytes_ - offset) / sizeof(T) ||
        offset % alignof(T) != 0)
      return nullptr;
    return reinterpret_cast<const T*>(data_ + offset);
  }

 private:
  const char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

bool asks_for_registration(const ElfFile& file, const std::vector<Elf64_Shdr>& sections,
                           const Elf64_Shdr& table) {
  const std::uint64_t count = table.sh_size / sizeof(Elf64_Sym);
  const auto* symbols = file.at<Elf64_Sym>(table.sh_offset, count);
  if (symbols == nullptr || table.sh_link >= sections.size()) return false;
  for (std::uint64_t i = 0; i < count; ++i)
    if (symbols[i].st_shndx == SHN_UNDEF &&
        file.text(sections[table.sh_link], symbols[i].st_name) == "__cudaRegisterFatBinary")
      return true;
  return false;
}

void tell_once(const char* path, const char* what) {
  static std::atomic<bool> told{false};
  if (told.exchange(true)) return;
  std::fprintf(stderr,
               "aisp sim: %s has the CUDA runtime linked into it (static cudart) and %s; link it "
               "with nvcc's -cudart shared\n",
               path, what);
}

// The loader knows the program itself by what it was started as.
std::string file_with(const void* address) {
  Dl_info object{};
  const bool found = dladdr(address, &object) != 0 && object.dli_fname != nullptr;
  const std::string path = found ? object.dli_fname : "";
  if (path.find(".so") != std::string::npos) return path;
  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  return length > 0 ? std::string(program, static_cast<std::size_t>(length)) : "the program";
}

}  // namespace

bool has_own_runtime(const char* path) {
  const ElfFile file(path);
  const auto sections = file.sections();
  if (sections.empty() || file.names_section() >= sections.size()) return false;
  bool has_kernels = false, asks = false;
  for (const Elf64_Shdr& section : sections) {
    if (file.text(sections[file.names_section()], section.sh_name) == ".nvFatBinSegment")
      has_kernels = true;
    if (section.sh_type == SHT_DYNSYM)
      asks = asks || asks_for_registration(file, sections, section);
  }
  return has_kernels && !asks;
}

void tell_that_it_runs_past(const char* path) { tell_once(path, "runs past the simulator"); }

bool is_static_runtime(const void* address) {
  static std::mutex mutex;
  static auto* const known = new std::map<std::string, bool>;  // by file
  const std::string file = file_with(address);
  const std::lock_guard lock(mutex);
  const auto found = known->find(file);
  if (found != known->end()) return found->second;
  return (*known)[file] = has_own_runtime(file.c_str());
}

// Others ask and go on without, as NVRTC does.
void tell_that_driver_refuses(const void* address) {
  if (is_static_runtime(address))
    tell_once(file_with(address).c_str(),
              "cannot sit on the simulator's driver (cuGetExportTable)");
}

}  // namespace aisp::sim
