// Stream compaction by ballots: order kept within the input, one pass of counts, one of places; and
// a partition of the same input whose two halves grow from both ends.
#include <algorithm>

#include "check.hpp"

namespace {

constexpr int threads = 256, warps = threads / 32;

__device__ bool wanted(unsigned value) { return value % 5 < 2; }

// Where this thread's element goes within the block's, and how many there are.
__device__ int place_in_block(bool keep, int& total) {
  __shared__ int of_warp[warps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned kept = __ballot_sync(~0u, keep);
  if (lane == 0) of_warp[warp] = __popc(kept);
  __syncthreads();
  int place = __popc(kept & ((1u << lane) - 1));
  total = 0;
  for (int i = 0; i < warps; ++i) {
    if (i < warp) place += of_warp[i];
    total += of_warp[i];
  }
  return place;
}

__global__ void count_kept(const unsigned* in, int count, int* per_block) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const int total = __syncthreads_count(i < count && wanted(in[i]));
  if (threadIdx.x == 0) per_block[blockIdx.x] = total;
}
__global__ void compact(const unsigned* in, int count, const int* per_block, unsigned* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const bool keep = i < count && wanted(in[i]);
  int total;
  int place = place_in_block(keep, total);
  for (int block = 0; block < static_cast<int>(blockIdx.x); ++block) place += per_block[block];
  if (keep) out[place] = in[i];
}

__global__ void partition(const unsigned* in, int count, unsigned* out, int* ends) {
  __shared__ int low, high;
  const int i = blockIdx.x * threads + threadIdx.x;
  const bool valid = i < count, keep = valid && wanted(in[i]);
  int kept;
  const int place = place_in_block(keep, kept);
  if (threadIdx.x == 0) {
    const int present = min(threads, count - static_cast<int>(blockIdx.x) * threads);
    low = atomicAdd(&ends[0], kept);
    high = atomicSub(&ends[1], present - kept);
  }
  __syncthreads();
  if (!valid) return;
  const int not_kept = threadIdx.x - place;
  out[keep ? low + place : high - 1 - not_kept] = in[i];
}

}  // namespace

int main() {
  constexpr int count = 3333;
  constexpr unsigned blocks = blocks_for(count, threads);
  const auto values = numbers(count, 4);
  const OnDevice<unsigned> in(values), out(count), parted(count);
  const OnDevice<int> per_block(blocks), ends(std::vector<int>{0, count});
  count_kept<<<blocks, threads>>>(in.get(), count, per_block.get());
  compact<<<blocks, threads>>>(in.get(), count, per_block.get(), out.get());
  partition<<<blocks, threads>>>(in.get(), count, parted.get(), ends.get());
  finish();
  const auto is_wanted = [](unsigned value) { return value % 5 < 2; };
  std::vector<unsigned> want(count, ~0u);  // what is not written keeps its poison
  const auto end = std::copy_if(values.begin(), values.end(), want.begin(), is_wanted);
  expect_equal(out.fetch(), want, "compacted in order");
  auto got = parted.fetch();
  const auto middle = got.begin() + (end - want.begin());
  expect(std::all_of(got.begin(), middle, is_wanted), "kept ones in front");
  expect(std::none_of(middle, got.end(), is_wanted), "the others behind");
  auto all = values;
  std::sort(all.begin(), all.end());
  std::sort(got.begin(), got.end());
  expect_equal(got, all, "each of them once");
  const auto met = ends.fetch();
  expect(met[0] == met[1], "the ends meet");
  return passed();
}
