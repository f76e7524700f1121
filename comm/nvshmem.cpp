#include "comm/nvshmem.hpp"

#include <filesystem>

#include "base/home.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "comm/cuda.hpp"
#include "comm/rounded_up.hpp"

namespace aisp::comm {
namespace {

namespace fs = std::filesystem;

// Numbers of the library's interface.
constexpr unsigned with_unique_id = 1U << 3;
constexpr int signal_set = 9, at_least = 5;
constexpr int initialized = 2, limited = 3;  // of init_status

constexpr std::int64_t alignment = 512;  // of a rank's part, as of what cudaMalloc gives

constexpr const char* soname = "libnvshmem_host.so.3";
constexpr const char* way_out =
    "install it (it comes with PyTorch's wheels, as nvidia-nvshmem-cu13), or name its "
    "libnvshmem_host.so.3 in AISP_NVSHMEM_LIBRARY";

// Folders with a bin/python3 in them, as the path names them and as links lead to them: a virtual
// environment and the Python it is made of.
std::vector<fs::path> python_prefixes() {
  std::vector<fs::path> prefixes;
  const auto add = [&](const fs::path& python) {
    std::error_code none;
    if (!fs::exists(python, none)) return;
    prefixes.push_back(python.parent_path().parent_path());
    prefixes.push_back(fs::canonical(python, none).parent_path().parent_path());
  };
  const char* chosen = base::environment("AISP_PYTHON");
  const std::string name = chosen != nullptr ? chosen : "python3";
  if (name.find('/') != std::string::npos) {
    add(name);
  } else if (const char* path = base::environment("PATH")) {
    for (const auto& folder : base::split(path, ':')) add(fs::path(folder) / name);
  }
  prefixes.emplace_back("/usr/local");  // where Debian's Python puts what pip installs
  if (const char* home = base::environment("HOME"))
    prefixes.push_back(fs::path(home) / ".local");  // and for one user
  return prefixes;
}

void add_wheels(const fs::path& prefix, std::vector<std::string>& places) {
  std::error_code none;
  for (const auto& version : fs::directory_iterator(prefix / "lib", none)) {
    if (!version.path().filename().string().starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      const fs::path place = version.path() / packages / "nvidia/nvshmem/lib" / soname;
      if (fs::exists(place, none)) places.push_back(place.string());
    }
  }
}

}  // namespace

std::vector<std::string> nvshmem_places() {
  if (const char* given = base::environment("AISP_NVSHMEM_LIBRARY")) return {given};
  std::vector<std::string> places{soname};
  for (const auto& prefix : python_prefixes()) add_wheels(prefix, places);
  return places;
}

base::SharedLibrary find_nvshmem(const std::vector<std::string>& places) {
  std::vector<std::string> problems;
  for (const auto& place : places) {
    const base::SharedLibrary opened(place);
    if (opened) return opened;
    problems.push_back(opened.problem());
  }
  base::refuse(base::Exit::environment, "no NVSHMEM: ", base::join(problems, "; "), "; ", way_out);
}

NvshmemCalls calls_of_nvshmem(const base::SharedLibrary& opened) {
  const auto find = [&](auto& call, const char* name) {
    if (!opened.find(call, name))
      base::refuse(base::Exit::environment, "no NVSHMEM: ", opened.name(), " has no ", name,
                   "; it takes 3.0 or newer: ", way_out);
  };
  NvshmemCalls calls;
  find(calls.get_name, "nvshmem_info_get_name");
  find(calls.get_unique_id, "nvshmemx_get_uniqueid");
  find(calls.set_unique_id, "nvshmemx_set_attr_uniqueid_args");
  // nvshmemx_init_attr and nvshmem_finalize are part of what is linked into kernels.
  find(calls.init, "nvshmemx_hostlib_init_attr");
  find(calls.init_status, "nvshmemx_init_status");
  find(calls.finalize, "nvshmemx_hostlib_finalize");
  find(calls.allocate, "nvshmem_malloc");
  find(calls.free, "nvshmem_free");
  find(calls.address, "nvshmem_ptr");
  find(calls.barrier, "nvshmemx_barrier_all_on_stream");
  find(calls.put_signal, "nvshmemx_putmem_signal_on_stream");
  find(calls.wait_signal, "nvshmemx_signal_wait_until_on_stream");
  return calls;
}

std::string name_of(const NvshmemCalls& calls) {
  std::array<char, 256> name{};
  calls.get_name(name.data());
  return name.data();
}

NvshmemId make_nvshmem_id(const NvshmemCalls& calls) {
  NvshmemId id;
  if (const int result = calls.get_unique_id(&id); result != 0)
    base::refuse(base::Exit::environment, "nvshmemx_get_uniqueid failed with ", result,
                 "; NVSHMEM_DEBUG=WARN makes the library say why in the run's worker.log");
  return id;
}

Nvshmem::Nvshmem(const NvshmemCalls& calls, const NvshmemId& id, int pe, int pes)
    : calls_(calls), pe_(pe), pes_(pes) {
  // The library takes the context that is current, and makes none.
  check(cudaFree(nullptr), "the device's context");
  NvshmemAttributes attributes;
  int result = calls_.set_unique_id(pe, pes, &id, &attributes);
  if (result == 0) result = calls_.init(with_unique_id, &attributes);
  const int status = result == 0 ? calls_.init_status() : 0;
  if (status < initialized)
    base::refuse(base::Exit::environment, "NVSHMEM does not start PE ", pe, " of ", pes,
                 result != 0 ? ": nvshmemx_hostlib_init_attr failed with "
                             : ": its state is that of an unfinished start, ",
                 result != 0 ? result : status,
                 "; NVSHMEM_DEBUG=WARN makes the library say why in the run's worker.log");
  takes_turns_ = status == limited;
}

Nvshmem::~Nvshmem() {
  if (!given_up_) calls_.finalize();
}

std::string Nvshmem::description() const {
  return base::say(name_of(calls_), ", ", pes_, pes_ == 1 ? " PE" : " PEs",
                   takes_turns_ ? " that take turns on a GPU" : "");
}

NvshmemMemory::NvshmemMemory(std::shared_ptr<Nvshmem> library, int ranks, std::size_t bytes)
    : library_(std::move(library)),
      part_bytes_(
          static_cast<std::size_t>(rounded_up(static_cast<std::int64_t>(bytes), alignment))) {
  const int pes = library_->pes();
  const auto ranks_of_pe = static_cast<std::size_t>((ranks + pes - 1) / pes);
  memory_ = static_cast<char*>(library_->calls().allocate(ranks_of_pe * part_bytes_));
  if (memory_ == nullptr)
    base::refuse(base::Exit::environment, "NVSHMEM has no ", ranks_of_pe * part_bytes_,
                 " bytes on each of ", pes, " PEs; NVSHMEM_SYMMETRIC_SIZE makes its heap larger");
  for (int rank = 0; rank < ranks; ++rank) {
    auto* const base = static_cast<char*>(library_->calls().address(memory_, rank % pes));
    if (base == nullptr)
      base::refuse(base::Exit::environment, "kernels of PE ", library_->pe(),
                   " do not reach the memory of PE ", rank % pes,
                   ": it takes GPUs of one machine with peer access");
    parts_.push_back(base + static_cast<std::size_t>(rank / pes) * part_bytes_);
  }
}

NvshmemMemory::~NvshmemMemory() {
  if (!library_->given_up()) library_->calls().free(memory_);
}

template <class T>
T* NvshmemMemory::symmetric(int rank, T* address) const {
  const auto offset = reinterpret_cast<char*>(address) - parts_.at(static_cast<std::size_t>(rank));
  return reinterpret_cast<T*>(
      memory_ + static_cast<std::size_t>(rank / library_->pes()) * part_bytes_ + offset);
}

void NvshmemMemory::put_signal(int to_rank, void* to, const void* from, std::size_t bytes,
                               std::uint64_t* flag, std::uint64_t value,
                               cudaStream_t stream) const {
  library_->calls().put_signal(symmetric(to_rank, static_cast<char*>(to)), from, bytes,
                               symmetric(to_rank, flag), value, signal_set,
                               to_rank % library_->pes(), stream);
}

void NvshmemMemory::wait_until(int rank, std::uint64_t* flag, std::uint64_t value,
                               cudaStream_t stream) const {
  library_->calls().wait_signal(symmetric(rank, flag), at_least, value, stream);
}

}  // namespace aisp::comm
