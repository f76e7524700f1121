// Cores: nodes with fewer than k neighbours are peeled off until none is left, k by k, in one
// cooperative grid that synchronises between rounds.
#include <cooperative_groups.h>

#include "check.hpp"
#include "random_graph.hpp"

namespace cg = cooperative_groups;

namespace {

__global__ void peel(const int* first, const int* to, int nodes, int* degrees, int* cores,
                     int* removed, int* left) {
  const auto grid = cg::this_grid();
  const int start = static_cast<int>(grid.thread_rank()), step = static_cast<int>(grid.size());
  for (int k = 1, remaining = nodes; remaining > 0; ++k)
    for (int round = 0;; ++round) {
      // Who goes is decided on degrees that nobody changes now.
      for (int node = start; node < nodes; node += step)
        if (cores[node] < 0 && degrees[node] < k) {
          cores[node] = k - 1;
          removed[atomicAdd(&left[1], 1)] = node;
        }
      grid.sync();
      const int count = left[1];
      for (int i = start; i < count; i += step)
        for (int edge = first[removed[i]]; edge < first[removed[i] + 1]; ++edge)
          atomicSub(&degrees[to[edge]], 1);
      grid.sync();
      if (start == 0) {
        left[0] -= count;
        left[1] = 0;
      }
      grid.sync();
      remaining = left[0];
      if (count == 0) break;
    }
}

}  // namespace

int main() {
  const Graph graph = random_graph(350, 1100, 7, true);
  std::vector<int> degrees(graph.nodes);
  for (int i = 0; i < graph.nodes; ++i) degrees[i] = graph.first[i + 1] - graph.first[i];
  const OnDevice<int> first(graph.first), to(graph.to), device_degrees(degrees),
      cores(std::vector<int>(graph.nodes, -1)), removed(graph.nodes),
      left(std::vector<int>{graph.nodes, 0});
  int per_sm = 0, device_sms = 0, cooperative = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, peel, 64, 0));
  CHECK(cudaDeviceGetAttribute(&device_sms, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
  expect(cooperative && per_sm > 0 && device_sms > 0, "cooperative launches");
  const int *first_at = first.get(), *to_at = to.get();
  int nodes = graph.nodes, *degrees_at = device_degrees.get(), *cores_at = cores.get(),
      *removed_at = removed.get(), *left_at = left.get();
  void* arguments[] = {&first_at, &to_at, &nodes, &degrees_at, &cores_at, &removed_at, &left_at};
  CHECK(cudaLaunchCooperativeKernel(peel, std::min(per_sm * device_sms, 6), 64, arguments));
  CHECK(cudaDeviceSynchronize());

  std::vector<int> want(graph.nodes, -1);
  for (int k = 1, remaining = graph.nodes; remaining > 0; ++k)
    for (bool again = true; again;) {
      again = false;
      for (int node = 0; node < graph.nodes; ++node)
        if (want[node] < 0 && degrees[node] < k) {
          want[node] = k - 1;
          --remaining;
          again = true;
          for (int edge = graph.first[node]; edge < graph.first[node + 1]; ++edge)
            --degrees[graph.to[edge]];
        }
    }
  expect_equal(cores.fetch(), want, "core numbers");
  return passed();
}
