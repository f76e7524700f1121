// Bellman-Ford: every edge tries to lower its end by atomicMin until nothing changes; the flag that
// says so is in mapped host memory.
#include "check.hpp"
#include "random_graph.hpp"

namespace {

constexpr unsigned far_away = 0x3fffffff;

__global__ void relax(const int* first, const int* to, const unsigned* weights, int nodes,
                      unsigned* distances, int* changed) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  // Others lower it meanwhile: any of the values is right, the next round sees the last.
  const unsigned mine = atomicAdd(&distances[node], 0u);
  if (mine >= far_away) return;
  bool lowered = false;
  for (int edge = first[node]; edge < first[node + 1]; ++edge) {
    const unsigned reached = mine + weights[edge];
    lowered |= reached < atomicMin(&distances[to[edge]], reached);
  }
  if (lowered) *changed = 1;  // all write the same
}

}  // namespace

int main() {
  const Graph graph = random_graph(700, 2500, 2, false);
  auto weights = numbers(graph.to.size(), 3);
  for (auto& weight : weights) weight = 1 + (weight >> 25);
  std::vector<unsigned> want(graph.nodes, far_away);
  want[0] = 0;
  const OnDevice<int> first(graph.first), to(graph.to);
  const OnDevice<unsigned> costs(weights), distances(want);
  int *changed = nullptr, *mapped = nullptr;
  CHECK(cudaHostAlloc(&changed, sizeof(int), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&mapped, changed, 0));
  int rounds = 0;
  do {
    *changed = 0;
    relax<<<blocks_for(graph.nodes, 128), 128>>>(first.get(), to.get(), costs.get(), graph.nodes,
                                                 distances.get(), mapped);
    finish();
    ++rounds;
  } while (*changed);
  expect(rounds > 1 && rounds <= graph.nodes, "rounds");
  for (bool again = true; again;) {
    again = false;
    for (int node = 0; node < graph.nodes; ++node)
      for (int edge = graph.first[node]; edge < graph.first[node + 1]; ++edge)
        if (want[node] < far_away && want[node] + weights[edge] < want[graph.to[edge]]) {
          want[graph.to[edge]] = want[node] + weights[edge];
          again = true;
        }
  }
  expect_equal(distances.fetch(), want, "distances");
  CHECK(cudaFreeHost(changed));
  return passed();
}
