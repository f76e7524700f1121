// links: cuda
// A graph of the driver: its nodes one by one, changed for the second launch, and one from a
// capture.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                 \
  do {                                                              \
    if (const CUresult result = (call); result != CUDA_SUCCESS) {   \
      const char* name = nullptr;                                   \
      cuGetErrorName(result, &name);                                \
      std::printf("line %d: %s gives %s\n", __LINE__, #call, name); \
      std::exit(1);                                                 \
    }                                                               \
  } while (false)

static const char* const code = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 data, .param .u32 n, .param .f32 factor) {
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [n];
  ld.param.f32 %f1, [factor];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra SCALED;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  mul.f32 %f3, %f2, %f1;
  st.global.f32 [%rd4], %f3;
SCALED:
  ret;
}
.visible .entry shift(.param .u64 data, .param .u32 n, .param .f32 summand) {
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [n];
  ld.param.f32 %f1, [summand];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra SHIFTED;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  add.f32 %f3, %f2, %f1;
  st.global.f32 [%rd4], %f3;
SHIFTED:
  ret;
}
)";

static void count_call(void* calls) { ++*static_cast<int*>(calls); }

int main() {
  constexpr unsigned n = 1024;
  constexpr std::size_t bytes = n * sizeof(float);
  CHECK(cuInit(0));
  CUcontext context;
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
  CUmodule module;
  CUfunction scale, shift;
  CHECK(cuModuleLoadData(&module, code));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  CHECK(cuModuleGetFunction(&shift, module, "shift"));
  CUdeviceptr data;
  CHECK(cuMemAlloc(&data, bytes));
  void* pinned = nullptr;
  CHECK(cuMemAllocHost(&pinned, bytes));
  auto* got = static_cast<float*>(pinned);

  unsigned count = n;
  float summand = 3.0f, factor = 0.5f;
  void* shifted[] = {&data, &count, &summand};
  void* scaled[] = {&data, &count, &factor};
  int calls = 0, wrong = 0;
  CUgraph graph;
  CUgraphNode fill, add, multiply, copy, call;
  CHECK(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS filled{};
  filled.dst = data;
  filled.elementSize = 4;
  filled.value = 0x40000000;  // 2.0
  filled.width = n;
  filled.height = 1;
  CHECK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &filled, context));
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = shift;
  kernel.gridDimX = n / 128;
  kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = 128;
  kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = shifted;
  CHECK(cuGraphAddKernelNode(&add, graph, &fill, 1, &kernel));
  kernel.func = scale;
  kernel.kernelParams = scaled;
  CHECK(cuGraphAddKernelNode(&multiply, graph, &add, 1, &kernel));
  CUDA_MEMCPY3D back{};
  back.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  back.srcDevice = data;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = got;
  back.WidthInBytes = bytes;
  back.Height = back.Depth = 1;
  CHECK(cuGraphAddMemcpyNode(&copy, graph, &multiply, 1, &back, context));
  CUDA_HOST_NODE_PARAMS host{count_call, &calls};
  CHECK(cuGraphAddHostNode(&call, graph, &copy, 1, &host));
  std::size_t nodes = 0, edges = 0;
  CHECK(cuGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CUgraphNodeType type;
  CHECK(cuGraphNodeGetType(copy, &type));
  wrong += nodes != 5 || edges != 4 || type != CU_GRAPH_NODE_TYPE_MEMCPY;

  CUgraphExec exec;
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CUstream stream;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  for (unsigned i = 0; i < n; ++i) wrong += !(got[i] == (2.0f + 3.0f) * 0.5f);
  factor = 7.0f;
  CHECK(cuGraphExecKernelNodeSetParams(exec, multiply, &kernel));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  for (unsigned i = 0; i < n; ++i) wrong += !(got[i] == (2.0f + 3.0f) * 7.0f);
  wrong += calls != 2;

  // The same work, captured from a stream into a child of a new graph.
  CUgraph captured;
  CUgraphExec again;
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CHECK(cuMemsetD32Async(data, 0x3f800000, n, stream));  // 1.0
  CHECK(cuLaunchKernel(shift, n / 128, 1, 1, 128, 1, 1, 0, stream, shifted, nullptr));
  CHECK(cuMemcpyDtoHAsync(got, data, bytes, stream));
  CHECK(cuStreamEndCapture(stream, &captured));
  CHECK(cuGraphInstantiate(&again, captured, 0));
  CHECK(cuGraphLaunch(again, stream));
  CHECK(cuStreamSynchronize(stream));
  for (unsigned i = 0; i < n; ++i) wrong += !(got[i] == 1.0f + 3.0f);
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphExecDestroy(again));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuGraphDestroy(captured));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuMemFreeHost(pinned));
  CHECK(cuMemFree(data));
  CHECK(cuCtxDestroy(context));
  if (wrong == 0)
    std::printf("ok\n");
  else
    std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
