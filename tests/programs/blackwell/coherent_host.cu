// device: gb200,sms=8
// Over a coherent link kernels use the host's memory where it lies: a list of nodes from new, a
// vector, a variable on the stack, a constant of the program; by loads, stores, a bulk copy and
// atomics that the host sees.
#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <vector>

#include "blackwell.cuh"
#include "check.hpp"

namespace {

using namespace blackwell;

struct Node {
  int value = 0;
  std::unique_ptr<Node> next;
};
struct Step {  // as kernels see it
  int value;
  Step* next;
};
static_assert(sizeof(Node) == sizeof(Step));

__global__ void walk(Step* head, int add, int* visited) {
  for (Step* at = head; at != nullptr; at = at->next) {
    at->value += add;
    ++*visited;
  }
}

__global__ void look_up(const int* table, int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = table[values[i]];
}

__global__ void count_even(const int* values, int count, unsigned* even) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && values[i] % 2 == 0) atomicAdd_system(even, 1u);
}

constexpr int copied = 1024;

__global__ void sum_copy(const int* from, int* sum) {
  alignas(16) __shared__ int tile[copied];
  __shared__ std::uint64_t barrier;
  const std::uint32_t at = shared_address(&barrier);
  if (threadIdx.x == 0) {
    barrier_init(at, 1);
    barrier_init_fence();
    barrier_expect(at, sizeof tile);
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(tile)),
        "l"(from), "r"(static_cast<int>(sizeof tile)), "r"(at)
        : "memory");
  }
  __syncthreads();
  barrier_wait(at, 0);
  int mine = 0;
  for (int i = static_cast<int>(threadIdx.x); i < copied; i += static_cast<int>(blockDim.x))
    mine += tile[i];
  atomicAdd(sum, mine);
}

void check_attributes() {
  for (const cudaDeviceAttr attribute :
       {cudaDevAttrPageableMemoryAccess, cudaDevAttrPageableMemoryAccessUsesHostPageTables,
        cudaDevAttrHostNativeAtomicSupported, cudaDevAttrDirectManagedMemAccessFromHost}) {
    int answer = 0;
    CHECK(cudaDeviceGetAttribute(&answer, attribute, 0));
    EXPECT(answer == 1);
  }
}

void check_list() {
  constexpr int count = 50;
  std::unique_ptr<Node> head;
  for (int i = 0; i < count; ++i) {
    auto node = std::make_unique<Node>();
    node->value = i;
    node->next = std::move(head);
    head = std::move(node);
  }
  int visited = 0;  // on the stack
  walk<<<1, 1>>>(reinterpret_cast<Step*>(head.get()), 1000, &visited);
  finish();
  EXPECT(visited == count);
  int expected = 1000 + count;
  for (const Node* at = head.get(); at != nullptr; at = at->next.get())
    EXPECT(at->value == --expected);
}

constexpr std::array<int, 8> powers{1, 3, 9, 27, 81, 243, 729, 2187};  // read-only memory

void check_vector() {
  constexpr int count = 40000;  // many pages
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = i % 8;
  look_up<<<blocks_for(count, 128), 128>>>(powers.data(), values.data(), count);
  finish();
  for (int i = 0; i < count; ++i)
    EXPECT(values[static_cast<std::size_t>(i)] == powers[static_cast<std::size_t>(i % 8)]);
}

void check_atomics() {
  constexpr int count = 1000;
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  std::atomic<unsigned> even = 0;
  count_even<<<blocks_for(count, 64), 64>>>(values.data(), count,
                                            reinterpret_cast<unsigned*>(&even));
  finish();
  EXPECT(even.load() == count / 2);
}

void check_bulk_copy() {
  struct alignas(16) Four {
    int values[4];
  };
  std::vector<Four> from(copied / 4);
  for (int i = 0; i < copied; ++i) from[static_cast<std::size_t>(i / 4)].values[i % 4] = i;
  int* sum = nullptr;
  CHECK(cudaMalloc(&sum, sizeof *sum));
  CHECK(cudaMemset(sum, 0, sizeof *sum));
  sum_copy<<<1, 96>>>(from.data()->values, sum);
  finish();
  int got = 0;
  CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDefault));
  EXPECT(got == copied * (copied - 1) / 2);
  CHECK(cudaFree(sum));
}

}  // namespace

int main() {
  check_attributes();
  check_list();
  check_vector();
  check_atomics();
  check_bulk_copy();
  return passed();
}
