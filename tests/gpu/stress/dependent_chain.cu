// A chain of three programmatic dependent launches: the second kernel lets the third go before it
// has waited for the first. What does the third find, before its griddepcontrol.wait, where the
// first writes? A round is a block of the third kernel; all cells are poison before each chain.
// Pairs ask the same of two kernels, with plain loads and lines that kernels before have loaded.
#include <cstdio>

#include "stress.cuh"

namespace {

using namespace stress;

enum class Second { lets_go_first, waits_first, plain, never_waits, lets_go_and_never_waits };
enum class Third { reads_before_wait, reads_after_wait, writes_before_wait };

__device__ void let_go() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ void wait_ahead() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

__global__ void first(unsigned* cells, unsigned value, int cycles, bool early) {
  wait_ahead();
  if (early) let_go();
  spin(cycles);
  if (threadIdx.x == 0) cells[blockIdx.x] = value;
}

// It reads what nobody may have overwritten yet.
__global__ void first_reads(unsigned* cells, unsigned value, int cycles, bool early,
                            unsigned long long* wrong) {
  wait_ahead();
  if (early) let_go();
  spin(cycles);
  unsigned seen = value;
  if (threadIdx.x == 0) {
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(seen) : "l"(cells + blockIdx.x));
    if (seen == value) atomicAdd(wrong, 1ull);
  }
}

template <Second order>
__global__ void second(unsigned* other) {
  constexpr bool waits = order != Second::never_waits && order != Second::lets_go_and_never_waits;
  if (order == Second::lets_go_first || order == Second::lets_go_and_never_waits) let_go();
  if (waits) wait_ahead();
  if (order == Second::waits_first) let_go();
  if (threadIdx.x == 0) other[blockIdx.x] = 1;
}

template <Third order>
__global__ void third(unsigned* cells, unsigned value, unsigned long long* wrong) {
  if (order == Third::reads_after_wait) wait_ahead();
  unsigned seen = value;
  if (order == Third::writes_before_wait) {
    if (threadIdx.x == 0) cells[blockIdx.x] = value;
  } else if (threadIdx.x == 0) {
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(seen) : "l"(cells + blockIdx.x));
    if (seen != value) atomicAdd(wrong, 1ull);
  }
  wait_ahead();
}

__device__ unsigned load_plain(const unsigned* at) {
  unsigned value = 0;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

// Brings all cells into the L1 caches.
__global__ void look(const unsigned* cells, unsigned count, unsigned long long* wrong) {
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) sum += load_plain(cells + i);
  if (sum == 1) atomicAdd(wrong, 0ull);  // keeps the loads from being dropped
}

// Every block reads what all blocks ahead have written.
__global__ void dependent(const unsigned* cells, unsigned count, unsigned value,
                          unsigned long long* wrong) {
  bool bad = false;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) bad |= load_plain(cells + i) != value;
  wait_ahead();
  if (__syncthreads_or(bad) != 0 && threadIdx.x == 0) atomicAdd(wrong, 1ull);
}

__global__ void poison(unsigned* cells) { cells[blockIdx.x] = 0xdeadbeefu; }

template <class... Parameters, class... Arguments>
void launch(bool programmatic, int blocks, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = programmatic ? 1 : 0;
  require(cudaLaunchKernelEx(&config, kernel, arguments...), "launch");
}

struct Chain {
  unsigned *cells = nullptr, *other = nullptr;
  int blocks = multiprocessors();
  Chain() {
    require(cudaMalloc(&cells, sizeof(unsigned) * blocks), "cudaMalloc");
    require(cudaMalloc(&other, sizeof(unsigned) * blocks), "cudaMalloc");
  }
};

template <Second order, Third reads>
void run(const char* layout, long wanted, int cycles, bool early) {
  const Chain chain;
  Counter wrong;
  const long chains = split(wanted, chain.blocks);
  for (long i = 0; i < chains; ++i) {
    const auto value = static_cast<unsigned>(i + 1);
    launch(false, chain.blocks, poison, chain.cells);
    if (reads == Third::writes_before_wait)
      launch(false, chain.blocks, first_reads, chain.cells, value, cycles, early, wrong.get());
    else
      launch(false, chain.blocks, first, chain.cells, value, cycles, early);
    launch(true, chain.blocks, second<order>, chain.other);
    launch(true, chain.blocks, third<reads>, chain.cells, value, wrong.get());
  }
  report(layout, chains * chain.blocks, wrong.fetch());
}

enum class Pair { reads, reads_loaded_before, overwrites };

// Two kernels: the second touches cells of the first before its wait.
template <Pair pair>
void run_pair(const char* layout, long wanted, int cycles, bool early) {
  const Chain chain;
  Counter wrong;
  const long chains = split(wanted, chain.blocks);
  const auto count = static_cast<unsigned>(chain.blocks);
  for (long i = 0; i < chains; ++i) {
    const auto value = static_cast<unsigned>(i + 1);
    launch(false, chain.blocks, poison, chain.cells);
    if (pair == Pair::reads_loaded_before)
      launch(false, chain.blocks, look, chain.cells, count, wrong.get());
    if (pair == Pair::overwrites) {
      launch(false, chain.blocks, first_reads, chain.cells, value, cycles, early, wrong.get());
      launch(true, chain.blocks, third<Third::writes_before_wait>, chain.cells, value, wrong.get());
    } else {
      launch(false, chain.blocks, first, chain.cells, value, cycles, early);
      launch(true, chain.blocks, dependent, chain.cells, count, value, wrong.get());
    }
  }
  report(layout, chains * chain.blocks, wrong.fetch());
}

}  // namespace

int main(int count, char** words) {
  const long wanted = rounds_of(count, words);
  // Long enough that the host has enqueued the whole chain while its first kernel still runs.
  constexpr int usual = 60'000, longer = 200'000;
  // Whether the first kernel lets the second go before it writes, or only by its end.
  for (const bool early : {false, true}) {
    std::printf("the first kernel lets go %s\n", early ? "at once" : "by its end");
    run<Second::waits_first, Third::reads_after_wait>("second waits, third waits", wanted, usual,
                                                      early);
    run<Second::lets_go_first, Third::reads_after_wait>("second lets go, third waits", wanted,
                                                        usual, early);
    run<Second::waits_first, Third::reads_before_wait>("second waits, third reads early", wanted,
                                                       usual, early);
    run<Second::plain, Third::reads_before_wait>("second never lets go, third reads early", wanted,
                                                 usual, early);
    run<Second::lets_go_first, Third::reads_before_wait>("second lets go, third reads early",
                                                         wanted, usual, early);
    run<Second::lets_go_first, Third::reads_before_wait>("the same, first takes 200000 cycles",
                                                         wanted, longer, early);
    run<Second::lets_go_first, Third::writes_before_wait>("second lets go, third overwrites early",
                                                          wanted, usual, early);
    run<Second::never_waits, Third::reads_before_wait>("second never waits, third reads early",
                                                       wanted, usual, early);
    run<Second::never_waits, Third::reads_after_wait>("second never waits, third waits", wanted,
                                                      usual, early);
    run<Second::lets_go_and_never_waits, Third::reads_before_wait>(
        "second lets go and never waits, third early", wanted, usual, early);
    run<Second::lets_go_and_never_waits, Third::reads_after_wait>(
        "second lets go and never waits, third waits", wanted, usual, early);
    run_pair<Pair::reads>("pair: second reads early", wanted, usual, early);
    run_pair<Pair::reads_loaded_before>("pair: the same, lines loaded before", wanted, usual,
                                        early);
    run_pair<Pair::overwrites>("pair: second overwrites early", wanted, usual, early);
  }
  return 0;
}
