// Breadth-first search with a frontier: a warp walks the edges of a node, discovers a neighbour by
// compare-and-swap, and appends what its lanes found with one atomic. The host asks after each
// level how long the next frontier is.
#include <cooperative_groups.h>

#include <queue>

#include "check.hpp"
#include "random_graph.hpp"

namespace cg = cooperative_groups;

namespace {

__global__ void expand(const int* first, const int* to, const int* frontier, int length, int level,
                       int* levels, int* next, int* next_length) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int warps = gridDim.x * warp.meta_group_size();
  for (int i = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank(); i < length;
       i += warps) {
    const int node = frontier[i];
    for (int edge = first[node] + warp.thread_rank(); edge < first[node + 1]; edge += 32) {
      const int neighbour = to[edge];
      if (atomicCAS(&levels[neighbour], -1, level) != -1) continue;
      const auto found = cg::coalesced_threads();
      int place = 0;
      if (found.thread_rank() == 0) place = atomicAdd(next_length, found.size());
      next[found.shfl(place, 0) + found.thread_rank()] = neighbour;
    }
  }
}

}  // namespace

int main() {
  const Graph graph = random_graph(900, 2000, 1, false);
  const OnDevice<int> first(graph.first), to(graph.to), a(graph.nodes), b(graph.nodes), length(1);
  std::vector<int> start(graph.nodes, -1);
  constexpr int source = 3;
  start[source] = 0;
  const OnDevice<int> levels(start);
  CHECK(cudaMemcpy(a.get(), &source, sizeof source, cudaMemcpyHostToDevice));
  int *now = a.get(), *next = b.get();
  for (int level = 1, count = 1; count > 0; ++level, std::swap(now, next)) {
    CHECK(cudaMemsetAsync(length.get(), 0, sizeof(int)));
    expand<<<blocks_for(count, 4), 128>>>(first.get(), to.get(), now, count, level, levels.get(),
                                          next, length.get());
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&count, length.get(), sizeof count, cudaMemcpyDeviceToHost));
  }
  std::queue<int> queue({source});
  auto want = start;
  for (; !queue.empty(); queue.pop())
    for (int edge = graph.first[queue.front()]; edge < graph.first[queue.front() + 1]; ++edge)
      if (int& level = want[graph.to[edge]]; level < 0) {
        level = want[queue.front()] + 1;
        queue.push(graph.to[edge]);
      }
  expect_equal(levels.fetch(), want, "levels");
  return passed();
}
