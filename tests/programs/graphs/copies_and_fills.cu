// Nodes that copy and fill: one-dimensional, from and to symbols, pitched boxes, fills of one, two
// and four bytes, and their parameters changed in graph and executable.
#include <cstdio>
#include <cstring>

#include "check.hpp"

__device__ int table[8];
__constant__ int settings[4];

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int *device = nullptr, *host = nullptr, *back = nullptr;
  CHECK(cudaMalloc(&device, 64 * sizeof(int)));
  CHECK(cudaMallocHost(&host, 64 * sizeof(int)));
  CHECK(cudaMallocHost(&back, 64 * sizeof(int)));
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));

  cudaGraphNode_t up, to_table, from_table, to_settings, filled, down;
  CHECK(cudaGraphAddMemcpyNode1D(&up, graph, nullptr, 0, device, host, 64 * sizeof(int),
                                 cudaMemcpyHostToDevice));
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&to_table, graph, &up, 1, table, device + 8, 4 * sizeof(int),
                                       2 * sizeof(int), cudaMemcpyDeviceToDevice));
  CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from_table, graph, &to_table, 1, device, table,
                                         8 * sizeof(int), 0, cudaMemcpyDeviceToDevice));
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&to_settings, graph, nullptr, 0, settings, host + 20,
                                       4 * sizeof(int), 0, cudaMemcpyHostToDevice));
  cudaMemsetParams fill{};
  fill.dst = device + 32;
  fill.elementSize = 4;
  fill.value = 77;
  fill.width = 3;
  fill.height = 4;
  fill.pitch = 8 * sizeof(int);
  CHECK(cudaGraphAddMemsetNode(&filled, graph, &from_table, 1, &fill));
  cudaMemcpy3DParms box{};
  box.srcPtr = make_cudaPitchedPtr(device, 8 * sizeof(int), 8, 8);
  box.dstPtr = make_cudaPitchedPtr(back, 8 * sizeof(int), 8, 8);
  box.extent = make_cudaExtent(8 * sizeof(int), 8, 1);
  box.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaGraphAddMemcpyNode(&down, graph, &filled, 1, &box));

  cudaMemcpy3DParms told{};
  CHECK(cudaGraphMemcpyNodeGetParams(down, &told));
  EXPECT(told.extent.width == 8 * sizeof(int) && told.extent.height == 8);
  cudaMemsetParams fill_told{};
  CHECK(cudaGraphMemsetNodeGetParams(filled, &fill_told));
  EXPECT(fill_told.value == 77 && fill_told.width == 3 && fill_told.height == 4);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int turn = 0; turn < 2; ++turn) {
    const unsigned value = turn == 0 ? 77 : 78;
    if (turn == 1) {
      fill.value = value;
      CHECK(cudaGraphExecMemsetNodeSetParams(exec, filled, &fill));
      CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec, up, device, host, 64 * sizeof(int),
                                               cudaMemcpyHostToDevice));
      CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to_table, table, device + 16,
                                                     4 * sizeof(int), 2 * sizeof(int),
                                                     cudaMemcpyDeviceToDevice));
    }
    std::memset(back, 0, 64 * sizeof(int));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 64; ++i) {
      int expected = i;
      if (i < 8) expected = i >= 2 && i < 6 ? i - 2 + (turn == 0 ? 8 : 16) : 0;
      if (i >= 32 && i % 8 < 3) expected = static_cast<int>(value);
      if (back[i] != expected) {
        std::printf("turn %d: element %d is %d, not %d\n", turn, i, back[i], expected);
        return 1;
      }
    }
  }
  int set[4] = {};
  CHECK(cudaMemcpyFromSymbol(set, settings, sizeof set));
  for (int i = 0; i < 4; ++i) EXPECT(set[i] == 20 + i);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));

  // Fills of one and two bytes.
  CHECK(cudaGraphCreate(&graph, 0));
  fill = {};
  fill.dst = device;
  fill.elementSize = 1;
  fill.value = 0xab;
  fill.width = 5;
  fill.height = 1;
  CHECK(cudaGraphAddMemsetNode(&up, graph, nullptr, 0, &fill));
  fill.dst = device + 2;
  fill.elementSize = 2;
  fill.value = 0x1234;
  CHECK(cudaGraphAddMemsetNode(&filled, graph, &up, 1, &fill));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaMemset(device, 0, 64));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  unsigned words[5] = {};
  CHECK(cudaMemcpy(words, device, sizeof words, cudaMemcpyDeviceToHost));
  EXPECT(words[0] == 0xabababab && words[1] == 0xab);
  EXPECT(words[2] == 0x12341234 && words[3] == 0x12341234 && words[4] == 0x1234);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFreeHost(back));
  std::printf("ok\n");
  return 0;
}
