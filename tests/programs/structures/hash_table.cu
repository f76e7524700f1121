// A hash table with open addressing: inserts by compare-and-swap on keys, counts by atomics on
// values, lookups by groups of four lanes that probe together, removal by tombstones.
#include <cooperative_groups.h>

#include <map>

#include "check.hpp"

namespace cg = cooperative_groups;

namespace {

constexpr unsigned slots = 1024, nobody = ~0u, removed = ~0u - 1;

__device__ unsigned home(unsigned key) { return (key * 2654435761u >> 16) % slots; }

__global__ void insert(const unsigned* keys, int count, unsigned* table, unsigned* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (unsigned at = home(keys[i]);; at = (at + 1) % slots) {
    const unsigned found = atomicCAS(&table[at], nobody, keys[i]);
    if (found != nobody && found != keys[i]) continue;
    atomicAdd(&counts[at], 1u);
    return;
  }
}

__global__ void look_up(const unsigned* keys, int count, const unsigned* table,
                        const unsigned* counts, unsigned* answers) {
  const auto group = cg::tiled_partition<4>(cg::this_thread_block());
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 4;
  if (i >= count) return;
  for (unsigned start = home(keys[i]);; start = (start + 4) % slots) {
    const unsigned at = (start + group.thread_rank()) % slots, found = table[at];
    const unsigned hits = group.ballot(found == keys[i]), ends = group.ballot(found == nobody);
    if (hits) {
      if (static_cast<int>(group.thread_rank()) == __ffs(static_cast<int>(hits)) - 1)
        answers[i] = counts[at];
      return;
    }
    if (ends) {
      if (group.thread_rank() == 0) answers[i] = 0;
      return;
    }
  }
}

__global__ void remove(const unsigned* keys, int count, unsigned* table, unsigned* taken) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (unsigned at = home(keys[i]);; at = (at + 1) % slots) {
    const unsigned found = atomicCAS(&table[at], keys[i], removed);
    if (found == keys[i]) atomicAdd(taken, 1u);
    if (found == keys[i] || found == nobody) return;
  }
}

}  // namespace

int main() {
  constexpr int count = 1800;
  auto keys = numbers(count, 1);
  for (auto& key : keys) key = (key >> 8) % 700;
  std::vector<unsigned> questions;
  for (unsigned key = 0; key < 800; ++key) questions.push_back(key);
  const OnDevice<unsigned> device_keys(keys), table(std::vector<unsigned>(slots, nobody)),
      counts(std::vector<unsigned>(slots, 0)), asked(questions), answers(questions.size()),
      taken(std::vector<unsigned>(1, 0));
  insert<<<blocks_for(count, 128), 128>>>(device_keys.get(), count, table.get(), counts.get());
  look_up<<<blocks_for(800 * 4, 128), 128>>>(asked.get(), 800, table.get(), counts.get(),
                                             answers.get());
  finish();
  std::vector<unsigned> want(questions.size());
  for (const unsigned key : keys) ++want[key];
  expect_equal(answers.fetch(), want, "counts of keys");
  // The first hundred keys go, each once, however many threads try.
  remove<<<2, 100>>>(asked.get(), 100, table.get(), taken.get());
  look_up<<<blocks_for(800 * 4, 128), 128>>>(asked.get(), 800, table.get(), counts.get(),
                                             answers.get());
  finish();
  unsigned present = 0;
  for (int key = 0; key < 100; ++key) present += want[key] > 0, want[key] = 0;
  expect(taken.fetch()[0] == present, "removed once");
  expect_equal(answers.fetch(), want, "the others are still found");
  return passed();
}
