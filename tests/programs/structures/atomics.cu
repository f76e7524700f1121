// seeds: 20
// Atomics that many blocks fight over: every operation and type, the three scopes, counters that a
// warp adds to once, a histogram, a lock-free stack, and the last block that finishes the work.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cuda/atomic>

#include "check.hpp"

namespace {

constexpr int blocks = 24, threads = 96, total = blocks * threads;

template <class T>
std::vector<T> zeros(std::size_t count) {
  return std::vector<T>(count);
}

struct Fought {
  unsigned add, minimum, maximum, both, either, differs, exchanged, wrapped_up, wrapped_down;
  int signed_minimum, signed_maximum, subtracted;
  unsigned long long wide_add, wide_maximum, wide_swapped;
  float sum;
  double wide_sum;
  __half2 half_pair;
  __nv_bfloat162 brain_pair;
  unsigned short narrow_swapped;
};

__global__ void fight(Fought* f, unsigned* seen) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&f->add, id);
  atomicMin(&f->minimum, id ^ 0x155u);
  atomicMax(&f->maximum, id ^ 0x155u);
  atomicAnd(&f->both, ~(1u << id % 7));
  atomicOr(&f->either, 1u << id % 31);
  atomicXor(&f->differs, id * 2654435761u);
  atomicMin(&f->signed_minimum, static_cast<int>(id) - 1000);
  atomicMax(&f->signed_maximum, static_cast<int>(id) - 1000);
  atomicSub(&f->subtracted, 3);
  atomicAdd(&f->wide_add, 0x100000001ull * id);
  atomicMax(&f->wide_maximum, static_cast<unsigned long long>(id) << 33);
  atomicAdd(&f->sum, 0.5f);  // sums of halves are exact
  atomicAdd(&f->wide_sum, 0.25);
  if (id % 8 == 0) {  // up to 2048 the halves count exactly, up to 256 the others
    atomicAdd(&f->half_pair, __floats2half2_rn(1.0f, 2.0f));
    if (id % 16 == 0) atomicAdd(&f->brain_pair, __floats2bfloat162_rn(1.0f, -1.0f));
  }
  atomicInc(&f->wrapped_up, 99);
  atomicDec(&f->wrapped_down, 99);
  // Every value handed out by an exchange is seen once.
  atomicAdd(&seen[atomicExch(&f->exchanged, id + 1)], 1u);
  unsigned long long old = f->wide_swapped, expected;
  do {
    expected = old;
    old = atomicCAS(&f->wide_swapped, expected, expected + 7);
  } while (old != expected);
  unsigned short narrow = f->narrow_swapped, wanted;
  do {
    wanted = narrow;
    narrow = atomicCAS(&f->narrow_swapped, wanted, static_cast<unsigned short>(wanted + 1));
  } while (narrow != wanted);
}

void check_fight() {
  auto start = zeros<Fought>(1);
  Fought& f = start[0];
  f.minimum = ~0u;
  f.both = ~0u;
  OnDevice<Fought> device(start);
  OnDevice<unsigned> seen(zeros<unsigned>(total + 1));
  fight<<<blocks, threads>>>(device.get(), seen.get());
  CHECK(cudaDeviceSynchronize());
  const Fought got = device.fetch()[0];
  unsigned sum = 0, least = ~0u, most = 0, differs = 0;
  unsigned long long wide = 0;
  for (unsigned id = 0; id < total; ++id) {
    sum += id;
    least = std::min(least, id ^ 0x155u);
    most = std::max(most, id ^ 0x155u);
    differs ^= id * 2654435761u;
    wide += 0x100000001ull * id;
  }
  expect(got.add == sum && got.wide_add == wide, "add");
  expect(got.minimum == least && got.maximum == most, "min and max");
  expect(got.both == (~0u << 7) && got.either == ~0u >> 1 && got.differs == differs,
         "and, or, xor");
  expect(got.signed_minimum == -1000 && got.signed_maximum == total - 1001, "signed min and max");
  expect(got.subtracted == -3 * total, "sub");
  expect(got.wide_maximum == static_cast<unsigned long long>(total - 1) << 33, "64-bit max");
  expect(got.sum == total * 0.5f && got.wide_sum == total * 0.25, "floating add");
  expect(__low2float(got.half_pair) == total / 8 && __high2float(got.half_pair) == total / 4,
         "pairs of halves");
  expect(__low2float(got.brain_pair) == total / 16 && __high2float(got.brain_pair) == -total / 16,
         "pairs of bf16");
  expect(got.wrapped_up == total % 100 && got.wrapped_down == (100 - total % 100) % 100,
         "inc, dec");
  expect(got.wide_swapped == 7ull * total, "64-bit compare and swap");
  expect(got.narrow_swapped == total, "16-bit compare and swap");
  auto counts = seen.fetch();
  ++counts[got.exchanged];  // the last one is still there
  expect(std::count(counts.begin(), counts.end(), 1u) == total + 1, "exchange");
}

// Scopes: each block's own counter, the device's, and one that the host shares.
__global__ void scoped(int* per_block, int* device, int* shared_with_host) {
  __shared__ int in_shared;
  if (threadIdx.x == 0) in_shared = 0;
  __syncthreads();
  atomicAdd_block(&per_block[blockIdx.x], 1);
  atomicAdd_block(&in_shared, static_cast<int>(threadIdx.x));
  atomicAdd(device, 1);
  cuda::atomic_ref<int, cuda::thread_scope_system>(*shared_with_host)
      .fetch_add(2, cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd_system(&per_block[blockIdx.x], in_shared);
}

void check_scopes() {
  OnDevice<int> per_block(zeros<int>(blocks)), device(zeros<int>(1));
  int* host = nullptr;
  CHECK(cudaMallocHost(&host, sizeof(int)));
  *host = 5;
  scoped<<<blocks, threads>>>(per_block.get(), device.get(), host);
  CHECK(cudaDeviceSynchronize());
  expect(device.fetch()[0] == total && *host == 5 + 2 * total, "device and system scope");
  for (const int count : per_block.fetch())
    expect(count == threads + threads * (threads - 1) / 2, "block scope");
  CHECK(cudaFreeHost(host));
}

// The lanes that keep their value take places in the output with one atomic a warp.
__global__ void filter(const unsigned* in, int count, unsigned* out, unsigned* taken) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const bool keep = i < count && in[i] % 3 == 0;
  if (!keep) return;
  const unsigned active = __activemask(), lane = threadIdx.x % 32;
  const int leader = __ffs(static_cast<int>(active)) - 1;
  unsigned first = 0;
  if (static_cast<int>(lane) == leader) first = atomicAdd(taken, __popc(active));
  first = __shfl_sync(active, first, leader);
  out[first + __popc(active & ((1u << lane) - 1))] = in[i];
}

__global__ void histogram(const unsigned* in, int count, unsigned* bins) {
  __shared__ unsigned mine[64];
  for (unsigned i = threadIdx.x; i < 64; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < static_cast<unsigned>(count);
       i += gridDim.x * blockDim.x)
    atomicAdd(&mine[in[i] >> 26], 1u);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&bins[i], mine[i]);
}

void check_counters() {
  constexpr int count = 2000;
  const auto values = numbers(count, 21);
  const OnDevice<unsigned> in(values), out(count);
  OnDevice<unsigned> taken(zeros<unsigned>(1)), bins(zeros<unsigned>(64));
  filter<<<(count + threads - 1) / threads, threads>>>(in.get(), count, out.get(), taken.get());
  histogram<<<7, threads>>>(in.get(), count, bins.get());
  CHECK(cudaDeviceSynchronize());
  std::vector<unsigned> want, want_bins(64);
  for (const unsigned value : values) {
    if (value % 3 == 0) want.push_back(value);
    ++want_bins[value >> 26];
  }
  auto got = out.fetch();
  expect(taken.fetch()[0] == want.size(), "warp-aggregated counter");
  got.resize(want.size());
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  expect(got == want, "warp-aggregated places");
  expect(bins.fetch() == want_bins, "histogram");
}

// A stack of nodes under one 64-bit word: node + 1 (0: empty) below, a counter above that makes
// every state of the word a new one.
struct Stack {
  unsigned long long head;
  unsigned next[total];
  unsigned popped[total];
};

__global__ void push_and_pop(Stack* stack) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> head(stack->head);
  constexpr unsigned long long node_bits = 0xffffffffull;
  unsigned long long old = head.load(cuda::memory_order_relaxed);
  do {
    reinterpret_cast<volatile unsigned&>(stack->next[id]) = static_cast<unsigned>(old & node_bits);
  } while (!head.compare_exchange_weak(old, ((old >> 32) + 1) << 32 | (id + 1),
                                       cuda::memory_order_release, cuda::memory_order_relaxed));
  // As many pushes as pops have begun: there is a node for everybody.
  old = head.load(cuda::memory_order_acquire);
  unsigned node;
  do {
    node = static_cast<unsigned>(old & node_bits);
    if (node == 0) {
      old = head.load(cuda::memory_order_acquire);
      continue;
    }
    const unsigned below = reinterpret_cast<volatile unsigned&>(stack->next[node - 1]);
    if (head.compare_exchange_weak(old, ((old >> 32) + 1) << 32 | below, cuda::memory_order_acq_rel,
                                   cuda::memory_order_acquire))
      break;
  } while (true);
  atomicAdd(&stack->popped[node - 1], 1u);
}

void check_stack() {
  const OnDevice<Stack> stack(zeros<Stack>(1));
  push_and_pop<<<blocks, threads>>>(stack.get());
  CHECK(cudaDeviceSynchronize());
  const auto got = stack.fetch();
  expect((got[0].head & 0xffffffffull) == 0 && got[0].head >> 32 == 2ull * total, "stack's head");
  for (const unsigned count : got[0].popped) expect(count == 1, "every node popped once");
}

// The block that comes last adds what the others left.
__global__ void reduce(const unsigned* in, int count, unsigned long long* partial, unsigned* ticket,
                       unsigned long long* out) {
  __shared__ unsigned long long sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  unsigned long long mine = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < static_cast<unsigned>(count);
       i += gridDim.x * blockDim.x)
    mine += in[i];
  atomicAdd(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;  // and is zero again
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  __threadfence();
  unsigned long long all = 0;
  for (unsigned i = 0; i < gridDim.x; ++i)
    all += static_cast<volatile unsigned long long*>(partial)[i];
  *out += all;
}

void check_last_block() {
  constexpr int count = 5000, launches = 3;
  const auto values = numbers(count, 5);
  const OnDevice<unsigned> in(values);
  const OnDevice<unsigned long long> partial(blocks);
  OnDevice<unsigned> ticket(zeros<unsigned>(1));
  OnDevice<unsigned long long> out(zeros<unsigned long long>(1));
  for (int i = 0; i < launches; ++i)
    reduce<<<blocks, threads>>>(in.get(), count, partial.get(), ticket.get(), out.get());
  CHECK(cudaDeviceSynchronize());
  unsigned long long want = 0;
  for (const unsigned value : values) want += value;
  expect(out.fetch()[0] == launches * want && ticket.fetch()[0] == 0, "last block");
}

}  // namespace

int main() {
  check_fight();
  check_scopes();
  check_counters();
  check_stack();
  check_last_block();
  std::puts("ok");
}
