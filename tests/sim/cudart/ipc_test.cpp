// Handles of memory and events for another process, as far as one process can tell:
// tests/programs/devices/ipc.cu has two.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace {

class Ipc : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cudaMalloc(&memory_, bytes), cudaSuccess); }
  void TearDown() override {
    EXPECT_EQ(cudaFree(memory_), cudaSuccess);
    cudaGetLastError();
  }
  static constexpr size_t bytes = 70'000;
  void* memory_ = nullptr;
};

TEST_F(Ipc, ExportedMemoryKeepsItsBytes) {
  std::vector<unsigned char> before(bytes), after(bytes);
  for (size_t i = 0; i < bytes; ++i) before[i] = static_cast<unsigned char>(i * 7 % 251);
  ASSERT_EQ(cudaMemcpy(memory_, before.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
  cudaIpcMemHandle_t handle;
  ASSERT_EQ(cudaIpcGetMemHandle(&handle, memory_), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(after.data(), memory_, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(before, after);
  ASSERT_EQ(cudaMemset(memory_, 9, bytes), cudaSuccess);
  cudaIpcMemHandle_t again;
  ASSERT_EQ(cudaIpcGetMemHandle(&again, static_cast<char*>(memory_) + 100), cudaSuccess);
  EXPECT_EQ(std::memcmp(&handle, &again, sizeof handle), 0) << "one allocation, one handle";
  ASSERT_EQ(cudaMemcpy(after.data(), memory_, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(after, std::vector<unsigned char>(bytes, 9));
}

TEST_F(Ipc, MemoryThatNoProcessCanShareIsRefused) {
  cudaIpcMemHandle_t handle;
  int local = 0;
  void *pinned = nullptr, *managed = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal), cudaSuccess);
  for (void* pointer : {static_cast<void*>(nullptr), static_cast<void*>(&local), pinned, managed})
    EXPECT_EQ(cudaIpcGetMemHandle(&handle, pointer), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
}

TEST_F(Ipc, ItsOwnHandlesAndMadeUpOnesCannotBeOpened) {
  cudaIpcMemHandle_t handle;
  ASSERT_EQ(cudaIpcGetMemHandle(&handle, memory_), cudaSuccess);
  void* opened = nullptr;
  constexpr unsigned flags = cudaIpcMemLazyEnablePeerAccess;
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, handle, flags), cudaErrorDeviceUninitialized);
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, handle, 0), cudaErrorInvalidValue);
  std::memset(&handle, 1, sizeof handle);
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, handle, flags), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcCloseMemHandle(memory_), cudaErrorInvalidValue);
}

TEST_F(Ipc, EventsMustBeMadeForIt) {
  cudaEvent_t plain, shared;
  cudaIpcEventHandle_t handle;
  ASSERT_EQ(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaIpcGetEventHandle(&handle, plain), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaEventCreateWithFlags(&shared, cudaEventDisableTiming | cudaEventInterprocess),
            cudaSuccess);
  ASSERT_EQ(cudaIpcGetEventHandle(&handle, shared), cudaSuccess);
  cudaEvent_t opened;
  EXPECT_EQ(cudaIpcOpenEventHandle(&opened, handle), cudaErrorDeviceUninitialized);
  // In its own process it is an event as any other.
  EXPECT_EQ(cudaEventQuery(shared), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory_, 1, bytes, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(shared, nullptr), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(nullptr, shared, 0), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(shared), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(shared), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(plain), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(shared), cudaSuccess);
}

}  // namespace
