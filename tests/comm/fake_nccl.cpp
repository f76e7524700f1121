// Stands in for libnccl.so.2 where there is no GPU: the calls that comm/nccl.cpp uses, in stream
// order, across processes, through a shared memory object that the unique id names. As with the
// real one a rank whose neighbour is gone waits.
//
// AISP_FAKE_NCCL_KILL=1:3 kills rank 1 at its third collective.
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

enum Result { success = 0, unhandled_cuda_error = 1, system_error = 2, invalid_argument = 4 };
constexpr int type_f32 = 7, type_bf16 = 9, operation_sum = 0;
constexpr int most_ranks = 8;
constexpr std::size_t slot_bytes = std::size_t{1} << 20;

struct Id {
  char bytes[128];
};

struct Shared {
  std::atomic<int> arrived, round, members;
  alignas(64) char slots[most_ranks][slot_bytes];
};

enum class Kind { all_reduce, reduce_scatter, all_gather };

struct Operation;

struct Communicator {
  int rank = 0, ranks = 0, calls = 0;
  std::string name;
  Shared* shared = nullptr;
  std::vector<std::unique_ptr<Operation>> operations;  // host memory that enqueued work uses

  void meet() const {
    const int round = shared->round.load();
    if (shared->arrived.fetch_add(1) + 1 == ranks) {
      shared->arrived = 0;
      shared->round = round + 1;
      return;
    }
    while (shared->round.load() == round) usleep(20);
  }
};

// `inputs` pieces of `count` elements come in, `outputs` go out.
struct Operation {
  Communicator* owner;
  Kind kind;
  int type;
  std::size_t count;
  char *send = nullptr, *receive = nullptr;

  ~Operation() {
    cudaFreeHost(send);
    cudaFreeHost(receive);
  }
  std::size_t element() const { return type == type_f32 ? 4 : 2; }
  std::size_t ranks() const { return static_cast<std::size_t>(owner->ranks); }
  std::size_t send_bytes() const {
    return count * element() * (kind == Kind::reduce_scatter ? ranks() : 1);
  }
  std::size_t receive_bytes() const {
    return count * element() * (kind == Kind::all_gather ? ranks() : 1);
  }
};

float widen(unsigned short bits) {
  const unsigned wide = unsigned{bits} << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

unsigned short narrow(float value) {
  unsigned bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

void add(int type, char* to, const char* from, std::size_t bytes) {
  if (type == type_f32)
    for (std::size_t i = 0; i < bytes / 4; ++i)
      reinterpret_cast<float*>(to)[i] += reinterpret_cast<const float*>(from)[i];
  else
    for (std::size_t i = 0; i < bytes / 2; ++i) {
      auto& sum = reinterpret_cast<unsigned short*>(to)[i];
      sum = narrow(widen(sum) + widen(reinterpret_cast<const unsigned short*>(from)[i]));
    }
}

// What everybody sends goes through the slots piece by piece; each takes from it what is its own.
void exchange(void* data) {
  const auto& operation = *static_cast<Operation*>(data);
  const Communicator& own = *operation.owner;
  const std::size_t all = operation.send_bytes();
  const std::size_t share = operation.count * operation.element();
  for (std::size_t at = 0; at < all; at += slot_bytes) {
    const std::size_t piece = std::min(slot_bytes, all - at);
    std::memcpy(own.shared->slots[own.rank], operation.send + at, piece);
    own.meet();
    for (int from = 0; from < own.ranks; ++from) {
      const char* slot = own.shared->slots[from];
      if (operation.kind == Kind::all_gather) {
        std::memcpy(operation.receive + static_cast<std::size_t>(from) * share + at, slot, piece);
        continue;
      }
      // The part of this piece that the rank receives, in bytes of the send buffer.
      const std::size_t own_start =
          operation.kind == Kind::reduce_scatter ? static_cast<std::size_t>(own.rank) * share : 0;
      const std::size_t first = std::max(at, own_start);
      const std::size_t last = std::min(at + piece, own_start + share);
      if (first >= last) continue;
      char* to = operation.receive + (first - own_start);
      if (from == 0) std::memset(to, 0, last - first);
      add(operation.type, to, slot + (first - at), last - first);
    }
    own.meet();  // nobody writes the next piece while one still reads this
  }
}

void die_if_told(const Communicator& own) {
  const char* given = std::getenv("AISP_FAKE_NCCL_KILL");
  int rank = 0, call = 0;
  if (given != nullptr && std::sscanf(given, "%d:%d", &rank, &call) == 2 && rank == own.rank &&
      call == own.calls)
    std::raise(SIGKILL);
}

int enqueue(Kind kind, const void* send, void* receive, std::size_t count, int type, int operation,
            Communicator* owner, cudaStream_t stream) {
  if ((type != type_f32 && type != type_bf16) || operation != operation_sum)
    return invalid_argument;
  ++owner->calls;
  die_if_told(*owner);
  auto& made = owner->operations.emplace_back(new Operation{owner, kind, type, count});
  const auto good = [](cudaError_t error) { return error == cudaSuccess; };
  return good(cudaMallocHost(reinterpret_cast<void**>(&made->send), made->send_bytes())) &&
                 good(cudaMallocHost(reinterpret_cast<void**>(&made->receive),
                                     made->receive_bytes())) &&
                 good(cudaMemcpyAsync(made->send, send, made->send_bytes(), cudaMemcpyDeviceToHost,
                                      stream)) &&
                 good(cudaLaunchHostFunc(stream, exchange, made.get())) &&
                 good(cudaMemcpyAsync(receive, made->receive, made->receive_bytes(),
                                      cudaMemcpyHostToDevice, stream))
             ? success
             : unhandled_cuda_error;
}

}  // namespace

extern "C" {

int ncclGetVersion(int* version) {
  *version = 22803;
  return success;
}

int ncclGetUniqueId(Id* id) {
  static int made = 0;
  *id = {};
  std::snprintf(id->bytes, sizeof id->bytes, "/aisp-fake-nccl-%d-%d", static_cast<int>(getpid()),
                made++);
  return success;
}

int ncclCommInitRank(Communicator** made, int ranks, Id id, int rank) {
  if (ranks < 1 || ranks > most_ranks || rank < 0 || rank >= ranks) return invalid_argument;
  auto own = std::make_unique<Communicator>();
  own->rank = rank;
  own->ranks = ranks;
  own->name = id.bytes;
  const int file = shm_open(id.bytes, O_CREAT | O_RDWR, 0600);
  if (file < 0 || ftruncate(file, sizeof(Shared)) != 0) return system_error;
  void* mapped = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return system_error;
  own->shared = static_cast<Shared*>(mapped);  // a new object is all zeros
  own->shared->members.fetch_add(1);
  while (own->shared->members.load() < ranks) usleep(100);
  own->meet();
  if (rank == 0) shm_unlink(id.bytes);  // all have it; nothing is left when they end
  *made = own.release();
  return success;
}

int ncclCommDestroy(Communicator* own) {
  own->meet();  // as the real one: the ranks of a machine end theirs together
  munmap(own->shared, sizeof(Shared));
  delete own;
  return success;
}

int ncclCommAbort(Communicator* own) {
  munmap(own->shared, sizeof(Shared));
  delete own;
  return success;
}

const char* ncclGetErrorString(int result) {
  return result == invalid_argument ? "invalid argument" : "unhandled error";
}

const char* ncclGetLastError(Communicator*) { return "fake NCCL"; }

int ncclAllReduce(const void* send, void* receive, std::size_t count, int type, int operation,
                  Communicator* own, cudaStream_t stream) {
  return enqueue(Kind::all_reduce, send, receive, count, type, operation, own, stream);
}

int ncclReduceScatter(const void* send, void* receive, std::size_t count, int type, int operation,
                      Communicator* own, cudaStream_t stream) {
  return enqueue(Kind::reduce_scatter, send, receive, count, type, operation, own, stream);
}

int ncclAllGather(const void* send, void* receive, std::size_t count, int type, Communicator* own,
                  cudaStream_t stream) {
  return enqueue(Kind::all_gather, send, receive, count, type, operation_sum, own, stream);
}
}
