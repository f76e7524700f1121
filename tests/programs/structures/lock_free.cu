// A stack with tagged heads, a ring that many produce into and many consume from while blocks run
// side by side, and a ticket lock: cuda::atomic_ref with acquire and release.
#include <cuda/atomic>

#include <algorithm>
#include <cstdint>

#include "check.hpp"

namespace {

constexpr auto relaxed = cuda::memory_order_relaxed;
constexpr auto acquire = cuda::memory_order_acquire;
constexpr auto release = cuda::memory_order_release;
template <class T>
using Ref = cuda::atomic_ref<T, cuda::thread_scope_device>;

// The head is the index of a node and a count of changes, so that a head that came back is seen.
struct Stack {
  unsigned long long head;
  unsigned next[1024];
  int value[1024];
};
constexpr unsigned nothing = 0xffffffffu;

__device__ void push(Stack& stack, unsigned node) {
  unsigned long long head = Ref(stack.head).load(relaxed), wanted;
  do {
    Ref(stack.next[node]).store(static_cast<unsigned>(head), relaxed);
    wanted = ((head >> 32) + 1) << 32 | node;
  } while (!Ref(stack.head).compare_exchange_weak(head, wanted, release, relaxed));
}
__device__ unsigned pop(Stack& stack) {
  unsigned long long head = Ref(stack.head).load(acquire), wanted;
  do {
    if (static_cast<unsigned>(head) == nothing) return nothing;
    wanted = ((head >> 32) + 1) << 32 | Ref(stack.next[static_cast<unsigned>(head)]).load(relaxed);
  } while (!Ref(stack.head).compare_exchange_weak(head, wanted, acquire, acquire));
  return static_cast<unsigned>(head);
}

__global__ void push_and_pop(Stack* stack, int* taken, int* count) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  stack->value[node] = static_cast<int>(3 * node);
  push(*stack, node);
  if (node % 2) return;
  const unsigned got = pop(*stack);  // somebody's: this thread has pushed one before
  if (got != nothing) taken[atomicAdd(count, 1)] = stack->value[got];
}

// Slots carry the turn they are for: 2 * lap when empty, 2 * lap + 1 when full.
constexpr unsigned ring_size = 64;
struct Ring {
  unsigned put, get, turns[ring_size];
  int values[ring_size];
};
__global__ void pass_on(Ring* ring, int per_block, int* sums) {
  if (threadIdx.x != 0) return;
  const bool producer = blockIdx.x % 2 == 0;
  int sum = 0;
  for (int i = 0; i < per_block; ++i) {
    const unsigned ticket = Ref(producer ? ring->put : ring->get).fetch_add(1, relaxed);
    const unsigned slot = ticket % ring_size, turn = 2 * (ticket / ring_size) + (producer ? 0 : 1);
    while (Ref(ring->turns[slot]).load(acquire) != turn) __nanosleep(20);
    if (producer) {
      ring->values[slot] = static_cast<int>(ticket) + 1;
      sum -= ring->values[slot];
    } else {
      sum += ring->values[slot];
    }
    Ref(ring->turns[slot]).store(turn + 1, release);
  }
  sums[blockIdx.x] = sum;
}

struct Lock {
  unsigned next, serving;
};
__global__ void under_lock(Lock* lock, int* counter, int rounds) {
  if (threadIdx.x != 0) return;
  for (int i = 0; i < rounds; ++i) {
    const unsigned mine = Ref(lock->next).fetch_add(1, relaxed);
    while (Ref(lock->serving).load(acquire) != mine) __nanosleep(10);
    counter[0] += 1;  // plain accesses: the lock orders them
    counter[1] += counter[0];
    Ref(lock->serving).store(mine + 1, release);
  }
}

}  // namespace

int main() {
  constexpr int blocks = 4, threads = 64, nodes = blocks * threads;
  std::vector<Stack> start(1);
  start[0].head = nothing;
  const OnDevice<Stack> stack(start);
  const OnDevice<int> taken(nodes), count(std::vector<int>(1, 0));
  push_and_pop<<<blocks, threads>>>(stack.get(), taken.get(), count.get());
  finish();
  const Stack end = stack.fetch()[0];
  auto values = taken.fetch();
  values.resize(count.fetch()[0]);
  expect(values.size() == nodes / 2, "half of them were taken");
  for (unsigned node = static_cast<unsigned>(end.head); node != nothing; node = end.next[node])
    values.push_back(end.value[node]);
  std::sort(values.begin(), values.end());
  std::vector<int> want;
  for (int i = 0; i < nodes; ++i) want.push_back(3 * i);
  expect_equal(values, want, "taken or still there, each once");

  std::vector<Ring> rings(1);
  const OnDevice<Ring> ring(rings);
  const OnDevice<int> sums(6);
  pass_on<<<6, 32>>>(ring.get(), 100, sums.get());
  finish();
  int total = 0;
  for (const int sum : sums.fetch()) total += sum;
  expect(total == 0 && ring.fetch()[0].put == 300, "what went in came out");

  const OnDevice<Lock> lock(std::vector<Lock>(1, Lock{0, 0}));
  const OnDevice<int> counter(std::vector<int>(2, 0));
  under_lock<<<5, 32>>>(lock.get(), counter.get(), 8);
  finish();
  expect_equal(counter.fetch(), {40, 40 * 41 / 2}, "under the lock");
  return passed();
}
