// Connected components by a forest of parents: edges hook the larger root under the smaller by
// compare-and-swap, then every node climbs to its root. One kernel, no rounds on the host.
#include <cuda/atomic>
#include <numeric>

#include "check.hpp"
#include "random_graph.hpp"

namespace {

using Parent = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ int root_of(int* parents, int node) {
  for (;;) {
    const int parent = Parent(parents[node]).load(cuda::memory_order_relaxed);
    if (parent == node) return node;
    node = parent;
  }
}

__global__ void hook(const int* first, const int* to, int nodes, int* parents) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  for (int edge = first[node]; edge < first[node + 1]; ++edge) {
    int a = root_of(parents, node), b = root_of(parents, to[edge]);
    while (a != b) {
      const int larger = max(a, b), smaller = min(a, b);
      int expected = larger;
      if (Parent(parents[larger])
              .compare_exchange_strong(expected, smaller, cuda::memory_order_relaxed))
        break;
      a = root_of(parents, expected);  // another edge was faster
      b = root_of(parents, smaller);
    }
  }
}

__global__ void flatten(int* parents, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes) Parent(parents[node]).store(root_of(parents, node), cuda::memory_order_relaxed);
}

int find(std::vector<int>& parents, int node) {
  while (parents[node] != node) node = parents[node] = parents[parents[node]];
  return node;
}

}  // namespace

int main() {
  const Graph graph = random_graph(1200, 650, 4, true);
  std::vector<int> want(graph.nodes);
  std::iota(want.begin(), want.end(), 0);
  const OnDevice<int> first(graph.first), to(graph.to), parents(want);
  hook<<<blocks_for(graph.nodes, 128), 128>>>(first.get(), to.get(), graph.nodes, parents.get());
  flatten<<<blocks_for(graph.nodes, 128), 128>>>(parents.get(), graph.nodes);
  finish();
  for (int node = 0; node < graph.nodes; ++node)
    for (int edge = graph.first[node]; edge < graph.first[node + 1]; ++edge) {
      const int a = find(want, node), b = find(want, graph.to[edge]);
      want[std::max(a, b)] = std::min(a, b);
    }
  for (int node = 0; node < graph.nodes; ++node) want[node] = find(want, node);
  expect_equal(parents.fetch(), want, "the smallest node of each component");
  return passed();
}
