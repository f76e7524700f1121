// Stands in for libnvshmem_host.so.3 where there is no GPU: the calls that comm/nvshmem.cpp uses.
// The symmetric heap is a shared memory object that the unique id names; every PE maps the heaps of
// all and registers them with the runtime, so that simulated kernels of one process store into
// memory that those of another read. As with the real one a PE whose neighbour is gone waits, and
// wrong use ends the process.
//
// AISP_FAKE_NVSHMEM_KILL=1:3    kills PE 1 at its stream's third barrier; 1:0 when it allocates
// AISP_FAKE_NVSHMEM_INIT=7      what the start returns
// AISP_FAKE_NVSHMEM_STATUS=3    the state after the start, 3: PEs that take turns on a GPU
// AISP_FAKE_NVSHMEM_HEAP=1000   so many bytes of each heap can be had
// AISP_FAKE_NVSHMEM_APART=1     no PE reaches another one's memory
// AISP_FAKE_NVSHMEM_STRICT=1    a process that ends and has not ended the library fails
// AISP_FAKE_NVSHMEM_EARLY=1     flags are set before what was put has arrived
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr int most_pes = 8;
constexpr std::size_t heap_bytes = std::size_t{64} << 20, page = 4096;
constexpr unsigned by_unique_id = 8;
constexpr int initialized = 2, takes_turns = 3, signal_set = 9, at_least = 5;

struct Id {
  int version;
  char name[124];
};
struct Attributes {
  int version;
  void* mpi_communicator;
  int arguments_version, gap;
  int member_version;
  const Id* id;
  int pe, pes;
  char reserved[96];
};

struct Shared {
  std::atomic<int> arrived, round, members;
};

struct State {
  int pe = -1, pes = 0;
  int asked = 0, queued = 0;    // barriers; operations behind the last of them
  std::atomic<int> passed = 0;  // barriers
  bool ready = false, leaving = false;
  Shared* shared = nullptr;
  char* heaps = nullptr;  // of all PEs, one after another
  std::size_t used = 0;
} own;

int number(const char* variable, int otherwise) {
  const char* given = std::getenv(variable);
  return given == nullptr ? otherwise : std::atoi(given);
}

void leave() {
  own.leaving = true;
  if (!own.ready || number("AISP_FAKE_NVSHMEM_STRICT", 0) == 0) return;
  std::fprintf(stderr, "fake NVSHMEM: PE %d has not been ended\n", own.pe);
  _exit(254);
}

[[noreturn]] void wrong_use(const char* what) {
  std::fprintf(stderr, "fake NVSHMEM: PE %d: %s\n", own.pe, what);
  std::exit(255);
}

void good(cudaError_t error) {
  if (error != cudaSuccess) wrong_use(cudaGetErrorString(error));
}

char* heap_of(int pe) { return own.heaps + static_cast<std::size_t>(pe) * heap_bytes; }

// The same place in another PE's heap.
char* there(const void* symmetric, int pe) {
  const auto offset = static_cast<const char*>(symmetric) - heap_of(own.pe);
  if (pe < 0 || pe >= own.pes || offset < 0 || static_cast<std::size_t>(offset) >= own.used)
    wrong_use("an address that is not in the symmetric heap");
  return heap_of(pe) + offset;
}

void meet() {
  const int round = own.shared->round.load();
  if (own.shared->arrived.fetch_add(1) + 1 == own.pes) {
    own.shared->arrived = 0;
    own.shared->round = round + 1;
    return;
  }
  while (own.shared->round.load() == round) usleep(20);
}

void die_if_told() {
  const char* given = std::getenv("AISP_FAKE_NVSHMEM_KILL");
  int pe = 0, barrier = 0;
  if (given != nullptr && std::sscanf(given, "%d:%d", &pe, &barrier) == 2 && pe == own.pe &&
      barrier == own.passed + (own.asked > 0 ? 1 : 0))
    std::raise(SIGKILL);
}

void good(CUresult result) {
  if (result != CUDA_SUCCESS) wrong_use("an operation on a value in a stream failed");
}

// A stream takes only so many operations that cannot run yet; then the host waits.
void queue() {
  constexpr int most = 8;
  if (++own.queued > most)
    while (own.passed < own.asked) usleep(20);
}

CUdeviceptr address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

// As the real one it has streams wait for, and write, values in memory: a host function that waits
// would keep those of other streams from running.
using StreamValue = CUresult(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags);
StreamValue* stream_value(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  good(cudaGetDriverEntryPointByVersion(name, &found, CUDART_VERSION, cudaEnableDefault, &result));
  if (found == nullptr) wrong_use(name);
  return reinterpret_cast<StreamValue*>(found);
}

}  // namespace

extern "C" {

void nvshmem_info_get_name(char* name) { std::strcpy(name, "NVSHMEM v3.4.5 (fake)"); }

int nvshmemx_get_uniqueid(Id* id) {
  static int made = 0;
  if (id->version != (1 << 16) + static_cast<int>(sizeof(Id))) return 22;
  std::snprintf(id->name, sizeof id->name, "/aisp-fake-nvshmem-%d-%d", static_cast<int>(getpid()),
                made++);
  return 0;
}

int nvshmemx_set_attr_uniqueid_args(int pe, int pes, const Id* id, Attributes* to) {
  to->id = id;
  to->pe = pe;
  to->pes = pes;
  return 0;
}

int nvshmemx_hostlib_init_attr(unsigned flags, Attributes* given) {
  if (const int result = number("AISP_FAKE_NVSHMEM_INIT", 0); result != 0) return result;
  if (flags != by_unique_id || given->version != (1 << 16) + static_cast<int>(sizeof(Attributes)) ||
      given->arguments_version != (1 << 16) + 128 || given->member_version != (1 << 16) + 24 ||
      given->pes > most_pes)
    return 22;
  if (own.shared != nullptr) wrong_use("a second job in one process");
  own.pe = given->pe;
  own.pes = given->pes;
  const std::size_t heaps = static_cast<std::size_t>(own.pes) * heap_bytes;
  const int file = shm_open(given->id->name, O_CREAT | O_RDWR, 0600);
  if (file < 0 || ftruncate(file, static_cast<off_t>(page + heaps)) != 0) return 7;
  void* mapped = mmap(nullptr, page + heaps, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return 7;
  own.shared = static_cast<Shared*>(mapped);  // a new object is all zeros
  own.heaps = static_cast<char*>(mapped) + page;
  good(cudaHostRegister(own.heaps, heaps, cudaHostRegisterMapped | cudaHostRegisterPortable));
  own.shared->members.fetch_add(1);
  while (own.shared->members.load() < own.pes) usleep(100);
  meet();
  if (own.pe == 0) shm_unlink(given->id->name);  // all have it; nothing is left when they end
  own.ready = true;
  return 0;
}

int nvshmemx_init_status() {
  return own.ready ? number("AISP_FAKE_NVSHMEM_STATUS", initialized) : 0;
}

// As the real one it ends together with the others.
void nvshmemx_hostlib_finalize() {
  if (own.leaving) wrong_use("ended when the process ends");
  meet();
  good(cudaHostUnregister(own.heaps));
  munmap(own.shared, page + static_cast<std::size_t>(own.pes) * heap_bytes);
  own.ready = false;
}

void* nvshmem_malloc(std::size_t bytes) {
  die_if_told();
  // As with the real one, what it needs of the runtime is gone when the process ends.
  static const int registered = std::atexit(leave);
  if (registered != 0) return nullptr;
  meet();
  const auto limit = number("AISP_FAKE_NVSHMEM_HEAP", static_cast<int>(heap_bytes));
  if (own.used + bytes > static_cast<std::size_t>(limit)) return nullptr;
  char* const memory = heap_of(own.pe) + own.used;
  own.used += (bytes + 511) / 512 * 512;
  return memory;
}

void nvshmem_free(void* memory) {
  there(memory, own.pe);
  meet();
}

void* nvshmem_ptr(const void* memory, int pe) {
  const bool apart = pe != own.pe && number("AISP_FAKE_NVSHMEM_APART", 0) != 0;
  return apart ? nullptr : there(memory, pe);
}

void nvshmemx_barrier_all_on_stream(cudaStream_t stream) {
  const auto arrive = [](void*) {
    die_if_told();
    meet();
    ++own.passed;
  };
  ++own.asked;
  own.queued = 0;
  if (nvshmemx_init_status() == takes_turns) {
    good(cudaStreamSynchronize(stream));
    return arrive(nullptr);
  }
  good(cudaLaunchHostFunc(stream, arrive, nullptr));
}

void nvshmemx_putmem_signal_on_stream(void* to, const void* from, std::size_t bytes,
                                      std::uint64_t* flag, std::uint64_t value, int operation,
                                      int pe, cudaStream_t stream) {
  if (operation != signal_set) wrong_use("a signal that does not set");
  queue();
  const bool early = number("AISP_FAKE_NVSHMEM_EARLY", 0) != 0;
  const auto put = [&] {
    good(cudaMemcpyAsync(there(to, pe), from, bytes, cudaMemcpyDefault, stream));
  };
  if (!early) put();
  good(stream_value("cuStreamWriteValue64")(stream, address(there(flag, pe)), value, 0));
  if (!early) return;
  good(cudaLaunchHostFunc(
      stream, [](void*) { usleep(50000); }, nullptr));
  put();
}

void nvshmemx_signal_wait_until_on_stream(std::uint64_t* flag, int comparison, std::uint64_t value,
                                          cudaStream_t stream) {
  if (comparison != at_least) wrong_use("a comparison that is not «at least»");
  if (nvshmemx_init_status() == takes_turns)
    wrong_use("a wait in a stream where PEs take turns on a GPU");
  queue();
  good(stream_value("cuStreamWaitValue64")(stream, address(there(flag, own.pe)), value,
                                           CU_STREAM_WAIT_VALUE_GEQ));
}
}
