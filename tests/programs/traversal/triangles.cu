// Triangles of an undirected graph: each edge is given to a warp, which intersects the two sorted
// lists by binary search; counts per node by atomics and in total by a warp's sum.
#include "check.hpp"
#include "random_graph.hpp"

namespace {

__device__ bool contains(const int* list, int count, int wanted) {
  int low = 0;
  while (count > 0) {
    const int half = count / 2;
    if (list[low + half] < wanted) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return list[low] == wanted;  // the row's end is never asked: see below
}

__global__ void count_triangles(const int* first, const int* to, const int2* edges, int count,
                                unsigned* of_node, unsigned long long* total) {
  const int lane = threadIdx.x % 32;
  unsigned found = 0;
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < count;
       i += gridDim.x * blockDim.x / 32) {
    const int2 edge = edges[i];
    const int rows = first[edge.y], length = first[edge.y + 1] - rows;
    const int last = to[rows + length - 1];
    for (int at = first[edge.x] + lane; at < first[edge.x + 1]; at += 32) {
      const int third = to[at];
      if (third <= edge.y || third > last || !contains(to + rows, length, third)) continue;
      ++found;  // once for each triangle: edge.x < edge.y < third
      atomicAdd(&of_node[edge.x], 1u);
      atomicAdd(&of_node[edge.y], 1u);
      atomicAdd(&of_node[third], 1u);
    }
  }
  found = __reduce_add_sync(~0u, found);
  if (lane == 0 && found) atomicAdd(total, static_cast<unsigned long long>(found));
}

}  // namespace

int main() {
  const Graph graph = random_graph(300, 1800, 6, true);
  std::vector<int2> edges;
  std::vector<std::vector<bool>> near(graph.nodes, std::vector<bool>(graph.nodes));
  for (int node = 0; node < graph.nodes; ++node)
    for (int at = graph.first[node]; at < graph.first[node + 1]; ++at) {
      near[node][graph.to[at]] = true;
      if (node < graph.to[at]) edges.push_back(make_int2(node, graph.to[at]));
    }
  const OnDevice<int> first(graph.first), to(graph.to);
  const OnDevice<int2> device_edges(edges);
  const OnDevice<unsigned> of_node(std::vector<unsigned>(graph.nodes, 0));
  const OnDevice<unsigned long long> total(std::vector<unsigned long long>(1, 0));
  count_triangles<<<12, 128>>>(first.get(), to.get(), device_edges.get(),
                               static_cast<int>(edges.size()), of_node.get(), total.get());
  finish();
  std::vector<unsigned> want(graph.nodes);
  unsigned long long sum = 0;
  for (const int2& edge : edges)
    for (int third = edge.y + 1; third < graph.nodes; ++third)
      if (near[edge.x][third] && near[edge.y][third])
        ++sum, ++want[edge.x], ++want[edge.y], ++want[third];
  expect(sum > 50, "there are triangles");
  expect(total.fetch()[0] == sum, "in total");
  expect_equal(of_node.fetch(), want, "of each node");
  return passed();
}
