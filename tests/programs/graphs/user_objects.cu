// User objects: graphs, their copies and executables keep what the program hands them, and its
// destructor runs when the last reference is gone.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "check.hpp"

__global__ void add(int* value, int much) { *value += much; }

static void destroyed(void* count) { ++*static_cast<std::atomic<int>*>(count); }

int main() {
  int* value = nullptr;
  CHECK(cudaMallocManaged(&value, sizeof(int)));
  *value = 0;
  cudaGraph_t graph, copy;
  cudaGraphNode_t node;
  CHECK(cudaGraphCreate(&graph, 0));
  int much = 3;
  void* arguments[] = {&value, &much};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));

  std::atomic<int> ended = 0;
  cudaUserObject_t object;
  CHECK(cudaUserObjectCreate(&object, &ended, destroyed, 1, cudaUserObjectNoDestructorSync));
  cudaUserObject_t none;
  EXPECT(cudaUserObjectCreate(&none, &ended, nullptr, 1, cudaUserObjectNoDestructorSync) ==
         cudaErrorInvalidValue);
  (void)cudaGetLastError();
  CHECK(cudaUserObjectRetain(object, 2));
  CHECK(cudaUserObjectRelease(object, 2));
  CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphClone(&copy, graph));
  CHECK(cudaGraphDestroy(graph));
  EXPECT(ended == 0);
  CHECK(cudaGraphDestroy(copy));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  EXPECT(ended == 0 && *value == 6);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaDeviceSynchronize());
  // A GPU's driver destroys it when it comes to it.
  for (int i = 0; i < 5000 && ended.load() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT(ended == 1);

  std::atomic<int> other = 0;
  CHECK(cudaUserObjectCreate(&object, &other, destroyed, 2, cudaUserObjectNoDestructorSync));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphRetainUserObject(graph, object, 2, 0));
  CHECK(cudaUserObjectRelease(object, 2));
  EXPECT(other == 0);
  CHECK(cudaGraphReleaseUserObject(graph, object, 1));
  EXPECT(other == 0);
  CHECK(cudaGraphReleaseUserObject(graph, object, 1));
  EXPECT(other == 1);
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(value));
  std::printf("ok\n");
  return 0;
}
