// Handles of memory and events for another process, as far as one process can tell:
// tests/programs/devices/ipc.cu has two.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
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

// A process that has the files of this one and nothing to do.
class Twin {
 public:
  Twin() : process_(fork()) {
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // it does not outlive the test
      while (true) pause();
    }
  }
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;
  ~Twin() {
    if (process_ < 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

// Where the simulator's handles hold them.
constexpr std::size_t process_at = 8, bytes_at = 24, device_at = 32;

template <class Handle, class Value>
Handle with(Handle handle, std::size_t at, Value value) {
  std::memcpy(reinterpret_cast<char*>(&handle) + at, &value, sizeof value);
  return handle;
}

TEST_F(Ipc, AHandleStatesNoMoreThanThereIs) {
  if (dlsym(RTLD_DEFAULT, "aispSimulated") == nullptr) GTEST_SKIP() << "other handles";
  cudaIpcMemHandle_t handle;
  cudaEvent_t event, opened_event;
  cudaIpcEventHandle_t event_handle;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess),
            cudaSuccess);
  ASSERT_EQ(cudaIpcGetEventHandle(&event_handle, event), cudaSuccess);
  ASSERT_EQ(cudaIpcGetMemHandle(&handle, memory_), cudaSuccess);
  const Twin twin;
  ASSERT_GT(twin.process(), 0);
  handle = with(handle, process_at, twin.process());
  void* opened = nullptr;
  const auto open = [&](const cudaIpcMemHandle_t& given) {
    return cudaIpcOpenMemHandle(&opened, given, cudaIpcMemLazyEnablePeerAccess);
  };
  for (const std::uint64_t wrong :
       {std::uint64_t{0}, std::uint64_t{bytes} * 10, std::uint64_t{1} << 62, ~std::uint64_t{0}})
    EXPECT_EQ(open(with(handle, bytes_at, wrong)), cudaErrorInvalidValue) << wrong;
  EXPECT_EQ(open(with(handle, device_at, -1)), cudaErrorInvalidValue);
  ASSERT_EQ(open(handle), cudaSuccess);
  EXPECT_EQ(cudaMemset(opened, 5, bytes), cudaSuccess);
  EXPECT_EQ(cudaIpcCloseMemHandle(opened), cudaSuccess);
  event_handle = with(event_handle, process_at, twin.process());
  EXPECT_EQ(cudaIpcOpenEventHandle(&opened_event, with(event_handle, bytes_at, std::uint64_t{8})),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
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
