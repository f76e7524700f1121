// May plain loads follow a relaxed atomic that has seen the last arrival at a counter, without an
// acquire? Writers store, execute __threadfence() and count with a relaxed atomic; the manual
// requires an acquire, or a fence behind the atomic, of the reader. The danger is a line that the
// reader's L1 cache holds from an earlier load: the fence would invalidate it. All words are poison
// before each launch, or the values of the round before. A round is a group of blocks with one
// counter.
#include "stress.cuh"

namespace {

using namespace stress;

constexpr unsigned members = 8, words = 256, threads = 256, all_words = members * words;
constexpr unsigned sector = 8, line = 32;  // words

__device__ std::uint32_t load(const std::uint32_t* at) {
  std::uint32_t value = 0;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

__device__ void store(std::uint32_t* at, std::uint32_t value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

__device__ unsigned relaxed(const unsigned* at) {
  unsigned value = 0;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

__device__ unsigned acquired(const unsigned* at) {
  unsigned value = 0;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

__device__ void count_released(unsigned* at) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
}

// Who reads: the block that counts last, or a block of its own that waits until all have counted.
enum class Reader { last_block, waits_relaxed, waits_and_resets, waits_acquire, does_not_wait };
// What has been loaded before the writers store, in the block that will read or in others.
enum class Before { nothing, all, sector_mates, line_mates, other_blocks };
// Where the early loads are: before the block's own fence, or between that and its counting.
enum class Place { before_fence, behind_fence };
// How words belong to members: a piece of 1 KiB each, or every eighth word.
enum class Layout { pieces, interleaved };

template <Layout layout>
__device__ unsigned word_of(unsigned member, unsigned i) {
  return layout == Layout::pieces ? member * words + i : i * members + member;
}

// Loads that bring lines into L1; the sum keeps them from being dropped.
template <Before before>
__device__ std::uint32_t load_early(const std::uint32_t* data, unsigned group) {
  std::uint32_t sum = 0;
  if (before == Before::all)
    for (unsigned i = threadIdx.x; i < all_words; i += threads) sum += load(data + i);
  // Of a sector of 32 bytes, or a line of 128, one word that no member writes.
  if (before == Before::sector_mates)
    for (unsigned i = threadIdx.x * sector; i < all_words; i += threads * sector)
      sum += load(data + i);
  if (before == Before::line_mates)
    for (unsigned i = threadIdx.x * line; i < all_words; i += threads * line) sum += load(data + i);
  // What groups to come will write: their readers may run on this SM.
  if (before == Before::other_blocks)
    for (unsigned next = 1; next <= 8; ++next)
      if (group + next < gridDim.x / (members + 1))
        for (unsigned i = threadIdx.x; i < all_words; i += threads)
          sum += load(data + std::size_t{next} * all_words + i);
  return sum;
}

// Words that are loaded early and never written: the first of a sector, or of a line's first.
template <Before before>
__device__ bool is_written(unsigned word) {
  if (before == Before::sector_mates) return word % sector != 0;
  if (before == Before::line_mates) return word % line >= sector;
  return true;
}

template <Reader reader>
__device__ bool awaits(unsigned* counter) {
  if constexpr (reader == Reader::waits_relaxed)
    while (relaxed(counter) != members) {
    }
  if constexpr (reader == Reader::waits_acquire)
    while (acquired(counter) != members) {
    }
  if constexpr (reader == Reader::waits_and_resets)
    while (atomicCAS(counter, members, 0) != members) {
    }
  return true;
}

// The last block of a group of members + 1 is the reader that waits; it comes last, so that it
// cannot keep its writers from starting.
template <Reader reader, Before before, Place place, Layout layout, bool fence>
__global__ void __launch_bounds__(threads)
    rounds(std::uint32_t* all, unsigned* counters, unsigned long long* wrong) {
  constexpr bool last_reads = reader == Reader::last_block;
  const unsigned size = last_reads ? members : members + 1;
  const unsigned group = blockIdx.x / size, member = blockIdx.x % size;
  std::uint32_t* const data = all + std::size_t{group} * all_words;
  unsigned* const counter = counters + group;
  __shared__ bool reads;
  std::uint32_t sum = 0;
  if (place == Place::before_fence && (last_reads || member == members))
    sum += load_early<before>(data, group);
  __syncthreads();
  if (member < members) {
    if (before == Before::other_blocks) sum += load_early<before>(data, group);
    for (unsigned i = threadIdx.x; i < words; i += threads) {
      const unsigned word = word_of<layout>(member, i);
      if (is_written<before>(word)) store(data + word, group * all_words + word);
    }
    // A release invalidates no lines of L1; the fence does.
    if (before != Before::other_blocks) __threadfence();
    if (place == Place::behind_fence) sum += load_early<before>(data, group);
    __syncthreads();
    if (threadIdx.x == 0) {
      if (last_reads)
        reads = atomicAdd(counter, 1u) == members - 1;
      else if (before == Before::other_blocks)
        count_released(counter);
      else
        atomicAdd(counter, 1u);
    }
    if (!last_reads && threadIdx.x == 0) reads = false;
  } else if (threadIdx.x == 0) {
    reads = awaits<reader>(counter);
  }
  __syncthreads();
  if (!reads) {
    if (sum == 1) atomicAdd(wrong, 0ull);
    return;
  }
  if (fence) __threadfence();
  bool bad = false;
  for (unsigned i = threadIdx.x; i < all_words; i += threads)
    if (is_written<before>(i)) bad |= load(data + i) != group * all_words + i;
  if (__syncthreads_or(bad) != 0 && threadIdx.x == 0) atomicAdd(wrong, 1ull);
  if (sum == 1) atomicAdd(wrong, 0ull);
}

template <Reader reader, Before before, Place place = Place::before_fence,
          Layout layout = Layout::pieces, bool fence = false>
void run(const char* name, long wanted) {
  constexpr long most_groups = 8192;
  const auto groups = static_cast<unsigned>(wanted < most_groups ? wanted : most_groups);
  const std::size_t bytes = std::size_t{groups} * all_words * 4;
  Counter wrong;
  std::uint32_t* data = nullptr;
  unsigned* counters = nullptr;
  require(cudaMalloc(&data, bytes), "cudaMalloc");
  require(cudaMalloc(&counters, groups * sizeof *counters), "cudaMalloc");
  const long launches = split(wanted, groups);
  const unsigned blocks = groups * (reader == Reader::last_block ? members : members + 1);
  for (long i = 0; i < launches; ++i) {
    require(cudaMemsetAsync(data, 0xee, bytes), "poison");
    require(cudaMemsetAsync(counters, 0, groups * sizeof *counters), "cudaMemset");
    rounds<reader, before, place, layout, fence><<<blocks, threads>>>(data, counters, wrong.get());
    require(cudaGetLastError(), "launch");
  }
  report(name, launches * groups, wrong.fetch());
  cudaFree(data);
  cudaFree(counters);
}

// Pairs of blocks that pass one buffer to and fro for the whole kernel.
enum class Back { fence, release };

template <bool writer_acquires, bool reader_acquires, Back back>
__global__ void __launch_bounds__(threads)
    ring(std::uint32_t* all, unsigned* counters, unsigned each, unsigned long long* wrong) {
  const unsigned pair = blockIdx.x / 2;
  std::uint32_t* const data = all + pair * words;
  unsigned *const full = counters + 64 * pair, *const empty = full + 32;
  for (unsigned round = 0; round < each; ++round) {
    if (blockIdx.x % 2 == 0) {
      if (threadIdx.x == 0)
        while ((writer_acquires ? acquired(empty) : relaxed(empty)) != round) {
        }
      __syncthreads();
      store(data + threadIdx.x, round * words + threadIdx.x);
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) atomicAdd(full, 1u);
      continue;
    }
    if (threadIdx.x == 0)
      while ((reader_acquires ? acquired(full) : relaxed(full)) != round + 1) {
      }
    __syncthreads();
    // Threads read what other threads wrote.
    const unsigned at = threadIdx.x ^ 33u;
    const bool bad = load(data + at) != round * words + at;
    if (__syncthreads_or(bad) != 0 && threadIdx.x == 0) atomicAdd(wrong, 1ull);
    if (threadIdx.x != 0) continue;
    if (back == Back::fence) {
      __threadfence();
      atomicAdd(empty, 1u);
    } else {
      count_released(empty);
    }
  }
}

template <bool writer_acquires, bool reader_acquires, Back back>
void run_ring(const char* name, long wanted) {
  const auto pairs = static_cast<unsigned>(multiprocessors());
  auto each = static_cast<unsigned>(split(wanted, pairs));
  Counter wrong;
  std::uint32_t* data = nullptr;
  unsigned* counters = nullptr;
  unsigned long long* counter = wrong.get();
  require(cudaMalloc(&data, std::size_t{pairs} * words * 4), "cudaMalloc");
  require(cudaMemset(data, 0xee, std::size_t{pairs} * words * 4), "poison");
  require(cudaMalloc(&counters, std::size_t{pairs} * 256), "cudaMalloc");
  require(cudaMemset(counters, 0, std::size_t{pairs} * 256), "cudaMemset");
  void* arguments[] = {&data, &counters, &each, &counter};
  require(cudaLaunchCooperativeKernel(ring<writer_acquires, reader_acquires, back>, dim3(2 * pairs),
                                      dim3(threads), arguments, 0, nullptr),
          "launch");
  report(name, static_cast<long>(each) * pairs, wrong.fetch());
  cudaFree(data);
  cudaFree(counters);
}

}  // namespace

int main(int count, char** given) {
  const long wanted = rounds_of(count, given);
  constexpr auto last = Reader::last_block, waits = Reader::waits_relaxed;
  constexpr auto interleaved = Layout::interleaved, pieces = Layout::pieces;
  constexpr auto first = Place::before_fence, behind = Place::behind_fence;
  std::printf("fresh lines\n");
  run<last, Before::nothing, first, pieces, true>("last block, fence behind the counter", wanted);
  run<last, Before::nothing>("last block", wanted);
  run<last, Before::nothing, first, interleaved>("last block, members share sectors", wanted);
  run<waits, Before::nothing>("a block that polls the counter", wanted);
  run<waits, Before::nothing, first, interleaved>("the same, members share sectors", wanted);
  run<Reader::waits_and_resets, Before::nothing>("a block that polls by atomicCAS", wanted);
  std::printf("lines loaded before\n");
  run<last, Before::all>("last block, loads, fence, counter", wanted);
  run<last, Before::all, behind>("last block, fence, loads, counter", wanted);
  run<Reader::waits_acquire, Before::all>("a block that loads, then acquires", wanted);
  run<waits, Before::all>("a block that loads, then polls relaxed", wanted);
  run<waits, Before::sector_mates>("the same, of each sector one other word", wanted);
  run<waits, Before::line_mates>("the same, of each line another sector", wanted);
  run<waits, Before::other_blocks>("loads by other blocks, then polls relaxed", wanted);
  std::printf("one buffer, to and fro\n");
  run_ring<true, true, Back::fence>("both acquire", wanted);
  run_ring<false, true, Back::fence>("the writer polls relaxed", wanted);
  run_ring<false, false, Back::fence>("both relaxed, given back by a fence", wanted);
  run_ring<true, false, Back::release>("the reader relaxed, given back by a release", wanted);
  std::printf("control\n");
  run<Reader::does_not_wait, Before::nothing>("control: does not wait", wanted);
  return 0;
}
