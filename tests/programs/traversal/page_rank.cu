// PageRank by pulling: a group of eight lanes sums what comes into a node, what dangling nodes hold
// goes to all, and a block-wide sum with a double atomic says when it has settled.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.hpp"
#include "random_graph.hpp"

namespace cg = cooperative_groups;

namespace {

constexpr float damping = 0.85f;

struct Totals {
  double dangling, change;
};

__global__ void prepare(const float* ranks, const int* out_degrees, float* shares, int nodes,
                        Totals* totals) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  double dangling = 0;
  if (node < nodes) {
    const int degree = out_degrees[node];
    shares[node] = degree > 0 ? ranks[node] / static_cast<float>(degree) : 0;
    if (degree == 0) dangling = ranks[node];
  }
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  dangling = cg::reduce(warp, dangling, cg::plus<double>());
  if (warp.thread_rank() == 0 && dangling != 0) atomicAdd(&totals->dangling, dangling);
}

__global__ void pull(const int* first, const int* from, const float* shares, float* ranks,
                     int nodes, Totals* totals) {
  const auto group = cg::tiled_partition<8>(cg::this_thread_block());
  const int node = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  float change = 0;
  if (node < nodes) {
    float sum = 0;
    for (int edge = first[node] + group.thread_rank(); edge < first[node + 1]; edge += 8)
      sum += shares[from[edge]];
    sum = cg::reduce(group, sum, cg::plus<float>());
    const float rank = (1 - damping) / static_cast<float>(nodes) +
                       damping * (sum + static_cast<float>(totals->dangling / nodes));
    if (group.thread_rank() == 0) {
      change = fabsf(rank - ranks[node]);
      ranks[node] = rank;
    }
  }
  __shared__ double in_block;
  if (threadIdx.x == 0) in_block = 0;
  __syncthreads();
  if (change > 0) atomicAdd_block(&in_block, change);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&totals->change, in_block);
}

}  // namespace

int main() {
  const Graph graph = random_graph(400, 1500, 5, false);
  std::vector<std::pair<int, int>> reversed;
  std::vector<int> degrees(graph.nodes);
  for (int node = 0; node < graph.nodes; ++node) {
    degrees[node] = graph.first[node + 1] - graph.first[node];
    for (int edge = graph.first[node]; edge < graph.first[node + 1]; ++edge)
      reversed.emplace_back(graph.to[edge], node);
  }
  const Graph incoming = from_pairs(graph.nodes, reversed);
  const OnDevice<int> first(incoming.first), from(incoming.to), out_degrees(degrees);
  const OnDevice<float> ranks(
      std::vector<float>(graph.nodes, 1.0f / static_cast<float>(graph.nodes))),
      shares(graph.nodes);
  const OnDevice<Totals> totals(1);
  int rounds = 0;
  for (double change = 1; change > 1e-6 && rounds < 100; ++rounds) {
    CHECK(cudaMemset(totals.get(), 0, sizeof(Totals)));
    prepare<<<blocks_for(graph.nodes, 128), 128>>>(ranks.get(), out_degrees.get(), shares.get(),
                                                   graph.nodes, totals.get());
    pull<<<blocks_for(graph.nodes, 16), 128>>>(first.get(), from.get(), shares.get(), ranks.get(),
                                               graph.nodes, totals.get());
    change = totals.fetch()[0].change;
  }
  expect(rounds > 5 && rounds < 100, "it settles");
  std::vector<double> want(graph.nodes, 1.0 / graph.nodes);
  for (int round = 0; round < 200; ++round) {
    double dangling = 0;
    for (int node = 0; node < graph.nodes; ++node) dangling += degrees[node] == 0 ? want[node] : 0;
    std::vector<double> next(graph.nodes, 0.15 / graph.nodes + 0.85 * dangling / graph.nodes);
    for (int node = 0; node < graph.nodes; ++node)
      for (int edge = graph.first[node]; edge < graph.first[node + 1]; ++edge)
        next[graph.to[edge]] += 0.85 * want[node] / degrees[node];
    want = next;
  }
  expect_close(ranks.fetch(), want, 1e-5, "ranks");  // within what the last change leaves over
  return passed();
}
