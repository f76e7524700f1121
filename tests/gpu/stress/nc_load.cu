// Does ld.global.nc see what another block of the same grid wrote before a grid barrier? The manual
// allows it for memory that is read-only for the whole kernel. Every round writes new values to
// the same addresses, so that a line that a cache kept is the poison. A round is a block's.
#include "stress.cuh"

namespace {

using namespace stress;

constexpr int words = 256;

enum class Load { plain, nc, nc_no_allocate, volatile_load };
enum class Mistake { none, no_barrier };

template <Load load>
__device__ std::uint32_t load_word(const std::uint32_t* at) {
  std::uint32_t value = 0;
  if constexpr (load == Load::plain)
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  if constexpr (load == Load::nc)
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  if constexpr (load == Load::nc_no_allocate)
    asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  if constexpr (load == Load::volatile_load)
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

// All blocks are resident (a cooperative launch).
__device__ void grid_barrier(unsigned* arrived, unsigned phase) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    const unsigned all = (phase + 1) * gridDim.x;
    unsigned seen = 0;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
    } while (static_cast<int>(seen - all) < 0);
  }
  __syncthreads();
}

// `distance`: how many blocks away the data was written; 0: by the block itself.
template <Load load, Mistake mistake>
__global__ void __launch_bounds__(words) rounds(std::uint32_t* data, unsigned* arrived, int each,
                                                int distance, unsigned long long* wrong) {
  const unsigned from = (blockIdx.x + distance) % gridDim.x;
  unsigned phase = 0;
  for (int round = 0; round < each; ++round) {
    data[blockIdx.x * words + threadIdx.x] = round * 1000003u + blockIdx.x * words + threadIdx.x;
    if (mistake != Mistake::no_barrier) grid_barrier(arrived, phase++);
    // Threads read what other threads of the block wrote, too.
    const unsigned at = from * words + (threadIdx.x ^ 32u);
    const bool bad = load_word<load>(data + at) != round * 1000003u + at;
    if (__syncthreads_or(bad) != 0 && threadIdx.x == 0) atomicAdd(wrong, 1ull);
    if (mistake != Mistake::no_barrier) grid_barrier(arrived, phase++);
  }
}

template <Load load, Mistake mistake>
void run(const char* layout, long wanted, int distance) {
  Counter wrong;
  const int blocks = multiprocessors();
  int each = static_cast<int>(split(wanted, blocks));
  std::uint32_t* data = nullptr;
  unsigned* arrived = nullptr;
  unsigned long long* counter = wrong.get();
  require(cudaMalloc(&data, std::size_t{words} * 4 * blocks), "cudaMalloc");
  require(cudaMemset(data, 0xee, std::size_t{words} * 4 * blocks), "poison");
  require(cudaMalloc(&arrived, sizeof *arrived), "cudaMalloc");
  require(cudaMemset(arrived, 0, sizeof *arrived), "cudaMemset");
  void* arguments[] = {&data, &arrived, &each, &distance, &counter};
  require(cudaLaunchCooperativeKernel(rounds<load, mistake>, dim3(static_cast<unsigned>(blocks)),
                                      dim3(words), arguments, 0, nullptr),
          "launch");
  report(layout, static_cast<long>(each) * blocks, wrong.fetch());
  cudaFree(data);
  cudaFree(arrived);
}

}  // namespace

int main(int count, char** given) {
  const long wanted = rounds_of(count, given);
  run<Load::volatile_load, Mistake::none>("volatile, the next block's", wanted, 1);
  run<Load::plain, Mistake::none>("plain, the next block's", wanted, 1);
  run<Load::nc, Mistake::none>("nc, the next block's", wanted, 1);
  run<Load::nc, Mistake::none>("nc, of a block far away", wanted, multiprocessors() / 2);
  run<Load::nc, Mistake::none>("nc, the block's own", wanted, 0);
  run<Load::nc_no_allocate, Mistake::none>("nc without allocation, the next block's", wanted, 1);
  run<Load::nc, Mistake::no_barrier>("control: nc without a barrier", wanted, 1);
  return 0;
}
