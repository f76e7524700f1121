// Several devices: which one a thread means, and what belongs to which.
#include <cstring>
#include <set>
#include <string>
#include <thread>

#include "tests/sim/cudart_devices/support.hpp"

using namespace aisp;

namespace {

using devices::event_on;
using devices::ints_on;
using devices::On;
using devices::stream_on;

TEST(Devices, AreAsManyAsAskedForAndAlike) {
  int number = 0;
  ASSERT_EQ(cudaGetDeviceCount(&number), cudaSuccess);
  ASSERT_EQ(number, devices::count);
  std::set<std::string> ids, buses;
  for (int device = 0; device < number; ++device) {
    cudaDeviceProp p{};
    ASSERT_EQ(cudaGetDeviceProperties(&p, device), cudaSuccess);
    EXPECT_EQ(p.multiProcessorCount, 4);
    ids.insert(std::string(p.uuid.bytes, sizeof p.uuid.bytes));
    char bus[32] = {};
    ASSERT_EQ(cudaDeviceGetPCIBusId(bus, sizeof bus, device), cudaSuccess);
    buses.insert(bus);
    int value = -1;
    ASSERT_EQ(cudaDeviceGetByPCIBusId(&value, bus), cudaSuccess);
    EXPECT_EQ(value, device);
    ASSERT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrPciBusId, device), cudaSuccess);
    EXPECT_EQ(value, p.pciBusID);
    EXPECT_EQ(std::stoi(std::string(bus).substr(5, 2), nullptr, 16), value);
  }
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_EQ(buses.size(), 4u);
}

TEST(Devices, AreChosenByEachThread) {
  const On second(2);
  int here = -1, there = -1;
  std::thread([&] {
    cudaGetDevice(&there);
    cudaSetDevice(3);
  }).join();
  ASSERT_EQ(cudaGetDevice(&here), cudaSuccess);
  EXPECT_EQ(here, 2);
  EXPECT_EQ(there, 0);
}

TEST(Devices, ThatAreNotThereAreRefused) {
  for (const int wrong : {-1, devices::count}) {
    cudaDeviceProp p{};
    int value = 0;
    cudaMemPool_t pool{};
    EXPECT_EQ(cudaSetDevice(wrong), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetDeviceProperties(&p, wrong), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, wrong), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaDeviceCanAccessPeer(&value, 0, wrong), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(wrong, 0), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, wrong), cudaErrorInvalidDevice);
    int device = -1;
    cudaGetDevice(&device);
    EXPECT_EQ(device, 0);
  }
  cudaGetLastError();
}

TEST(Devices, KeepTheirOwnSettings) {
  size_t value = 0;
  {
    const On there(1);
    ASSERT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 4096), cudaSuccess);
  }
  ASSERT_EQ(cudaDeviceGetLimit(&value, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(value, 1024u);
  // Dynamic shared memory that one device was told of is too much for another.
  const int bytes = 100 * 1024;
  int* to = ints_on(0, 1);
  void* args[] = {&to};
  ASSERT_EQ(cudaFuncSetAttribute(kernels::large_shared(),
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
            cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(kernels::large_shared(), dim3(1), dim3(32), args, bytes, nullptr),
            cudaSuccess);
  {
    const On there(1);
    EXPECT_EQ(cudaLaunchKernel(kernels::large_shared(), dim3(1), dim3(32), args, bytes, nullptr),
              cudaErrorInvalidValue);
    cudaGetLastError();
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cudaFree(to);
}

TEST(Devices, OwnTheirMemory) {
  size_t before[devices::count] = {}, after = 0, total = 0;
  for (int device = 0; device < devices::count; ++device) {
    const On there(device);
    ASSERT_EQ(cudaMemGetInfo(&before[device], &total), cudaSuccess);
  }
  int* memory = ints_on(2, 1 << 20);
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, memory + 5), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 2);
  for (int device = 0; device < devices::count; ++device) {
    const On there(device);
    ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
    EXPECT_EQ(before[device] - after, device == 2 ? size_t{4} << 20 : 0) << device;
  }
  EXPECT_EQ(cudaFree(memory), cudaSuccess);  // from wherever
  void *most = nullptr, *more = nullptr;
  ASSERT_EQ(cudaMalloc(&most, before[0] - 4096), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&more, 8192), cudaErrorMemoryAllocation);
  cudaGetLastError();
  const On there(3);
  EXPECT_EQ(cudaMalloc(&more, 8192), cudaSuccess);
  EXPECT_EQ(cudaFree(more), cudaSuccess);
  EXPECT_EQ(cudaFree(most), cudaSuccess);
}

TEST(Devices, OwnStreamsAndEvents) {
  const cudaStream_t first = stream_on(1), second = stream_on(2);
  int device = -1;
  ASSERT_EQ(cudaStreamGetDevice(second, &device), cudaSuccess);
  EXPECT_EQ(device, 2);
  {
    const On there(3);
    ASSERT_EQ(cudaStreamGetDevice(nullptr, &device), cudaSuccess);
    EXPECT_EQ(device, 3);
    ASSERT_EQ(cudaStreamGetDevice(cudaStreamPerThread, &device), cudaSuccess);
    EXPECT_EQ(device, 3);
  }
  const cudaEvent_t event = event_on(1), other = event_on(2);
  EXPECT_EQ(cudaEventRecord(event, second), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event, first), cudaSuccess);  // whatever is current
  EXPECT_EQ(cudaEventRecord(other, second), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(other), cudaSuccess);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event, other), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  for (const cudaEvent_t one : {event, other}) cudaEventDestroy(one);
  for (const cudaStream_t one : {first, second}) cudaStreamDestroy(one);
}

TEST(Devices, RunKernelsInTheirOwnStreamsOnly) {
  const cudaStream_t stream = stream_on(1);
  int* memory = ints_on(1, 64);
  EXPECT_EQ(devices::launch_mark(memory, 64, stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  // Copies and fills go into any.
  EXPECT_EQ(cudaMemsetAsync(memory, 0, 64, stream), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(memory + 16, memory, 64, cudaMemcpyDefault, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  const On there(1);
  EXPECT_EQ(devices::launch_mark(memory, 64, stream), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(devices::read(memory, 64), std::vector<int>(64, 7));
  cudaFree(memory);
  cudaStreamDestroy(stream);
}

TEST(Devices, HaveModuleVariablesOfTheirOwn) {
  void* addresses[devices::count] = {};
  for (int device = 0; device < devices::count; ++device) {
    const On there(device);
    const int value = 10 * device;
    ASSERT_EQ(cudaGetSymbolAddress(&addresses[device], kernels::mark_variable()), cudaSuccess);
    cudaPointerAttributes attributes{};
    ASSERT_EQ(cudaPointerGetAttributes(&attributes, addresses[device]), cudaSuccess);
    EXPECT_EQ(attributes.device, device);
    if (device != 1) {
      ASSERT_EQ(cudaMemcpyToSymbol(kernels::mark_variable(), &value, sizeof value, 0,
                                   cudaMemcpyHostToDevice),
                cudaSuccess);
    }
  }
  EXPECT_EQ(std::set<void*>(addresses, addresses + devices::count).size(), 4u);
  const int before = kernels::managed_variable();
  for (int device = 0; device < devices::count; ++device) {
    const On there(device);
    int* memory = ints_on(device, 100);
    EXPECT_EQ(devices::launch_mark(memory, 100, nullptr), cudaSuccess);
    EXPECT_EQ(cudaLaunchKernel(kernels::count_up(), dim3(1), dim3(1), nullptr, 0, nullptr),
              cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(devices::read(memory, 100), std::vector<int>(100, device == 1 ? 7 : 10 * device));
    const int initial = 7;
    cudaMemcpyToSymbol(kernels::mark_variable(), &initial, sizeof initial, 0,
                       cudaMemcpyHostToDevice);
    cudaFree(memory);
  }
  EXPECT_EQ(kernels::managed_variable(), before + devices::count) << "managed ones are everybody's";
}

TEST(Devices, AreResetOneByOne) {
  int *gone = ints_on(3, 16), *stays = ints_on(2, 16);
  {
    const On there(3);
    ASSERT_EQ(cudaDeviceEnablePeerAccess(2, 0), cudaSuccess);
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(2), cudaErrorPeerAccessNotEnabled);
    cudaGetLastError();
  }
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, gone), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, stays), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(cudaFree(stays), cudaSuccess);
}

}  // namespace
