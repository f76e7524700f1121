// Memory and events that two processes share: one writes, the other reads and answers.
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "tests/sim/cuda/driver.hpp"

namespace {

struct Handles {
  CUipcMemHandle memory;
  CUipcEventHandle written, answered;
};

constexpr unsigned shared_words = 1000;

// The other process: nothing of the driver has been called in it when it begins.
int answer(int from, int to) {
  Handles handles{};
  CUcontext context = nullptr;
  CUdeviceptr memory = 0, again = 0;
  CUevent written = nullptr, answered = nullptr;
  CUstream stream = nullptr;
  std::vector<unsigned> seen(shared_words);
  if (read(from, &handles, sizeof handles) != sizeof handles) return 2;
  const bool ready =
      cuInit(0) == CUDA_SUCCESS && cuCtxCreate(&context, nullptr, 0, 0) == CUDA_SUCCESS &&
      cuIpcOpenMemHandle(&memory, handles.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) ==
          CUDA_SUCCESS &&
      cuIpcOpenMemHandle(&again, handles.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) ==
          CUDA_SUCCESS &&
      cuIpcOpenEventHandle(&written, handles.written) == CUDA_SUCCESS &&
      cuIpcOpenEventHandle(&answered, handles.answered) == CUDA_SUCCESS &&
      cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS;
  if (!ready || again != memory) return 3;
  char go = 1;
  if (write(to, &go, 1) != 1 || read(from, &go, 1) != 1) return 4;  // the event is recorded
  if (cuStreamWaitEvent(stream, written, 0) != CUDA_SUCCESS ||
      cuMemcpyDtoHAsync(seen.data(), memory, 4 * shared_words, stream) != CUDA_SUCCESS ||
      cuStreamSynchronize(stream) != CUDA_SUCCESS)
    return 5;
  for (unsigned i = 0; i < shared_words; ++i)
    if (seen[i] != 77) return 6;
  if (driver_tests::launch_store(driver_tests::load_store(), memory, 88, 1000, stream) !=
          CUDA_SUCCESS ||
      cuEventRecord(answered, stream) != CUDA_SUCCESS)
    return 7;
  if (write(to, &go, 1) != 1 || cuEventSynchronize(answered) != CUDA_SUCCESS) return 8;
  if (cuMemFree(memory) == CUDA_SUCCESS) return 9;  // it is not this process's
  if (cuIpcCloseMemHandle(memory) != CUDA_SUCCESS || cuIpcCloseMemHandle(memory) != CUDA_SUCCESS ||
      cuIpcCloseMemHandle(memory) == CUDA_SUCCESS)
    return 10;
  return 0;
}

// Before main(), while no thread of the simulator is there to be lost by it.
struct OtherProcess {
  int to[2] = {}, from[2] = {};
  pid_t process = -1;
  OtherProcess() {
    if (pipe(to) != 0 || pipe(from) != 0) return;
    process = fork();
    if (process == 0) {
      close(to[1]);
      close(from[0]);
      _exit(answer(to[0], from[1]));
    }
    close(to[0]);
    close(from[1]);
  }
  ~OtherProcess() {
    if (process > 0) close(to[1]);  // ends it where no test has spoken to it
  }
};
OtherProcess other_process;

using driver_tests::Driver;

TEST_F(Driver, AnotherProcessReadsAndWritesWhatIsHandedToIt) {
  ASSERT_GT(other_process.process, 0);
  CUdeviceptr memory = 0, own = 0;
  ASSERT_DONE(cuMemAlloc(&memory, 4 * shared_words));
  ASSERT_DONE(cuMemsetD32(memory, 11, shared_words));
  Handles handles{};
  ASSERT_DONE(cuIpcGetMemHandle(&handles.memory, memory));
  EXPECT_RESULT(cuIpcOpenMemHandle(&own, handles.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
                CUDA_ERROR_INVALID_CONTEXT);  // it is for others
  CUevent written = nullptr, answered = nullptr, plain = nullptr;
  const unsigned flags = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;
  ASSERT_DONE(cuEventCreate(&written, flags));
  ASSERT_DONE(cuEventCreate(&answered, flags));
  ASSERT_DONE(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
  ASSERT_DONE(cuIpcGetEventHandle(&handles.written, written));
  EXPECT_RESULT(cuIpcGetEventHandle(&handles.answered, plain), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_DONE(cuIpcGetEventHandle(&handles.answered, answered));
  ASSERT_EQ(write(other_process.to[1], &handles, sizeof handles), ssize_t{sizeof handles});
  char turn = 0;
  ASSERT_EQ(read(other_process.from[0], &turn, 1), 1);
  ASSERT_DONE(cuMemsetD32Async(memory, 77, shared_words, nullptr));
  ASSERT_DONE(cuEventRecord(written, nullptr));
  ASSERT_EQ(write(other_process.to[1], &turn, 1), 1);
  ASSERT_DONE(cuEventSynchronize(written));
  ASSERT_EQ(read(other_process.from[0], &turn, 1), 1);  // it has recorded its answer
  ASSERT_DONE(cuStreamWaitEvent(nullptr, answered, 0));
  std::vector<unsigned> got(shared_words);
  ASSERT_DONE(cuMemcpyDtoH(got.data(), memory, 4 * shared_words));
  EXPECT_EQ(got, std::vector<unsigned>(shared_words, 88));
  int status = -1;
  ASSERT_EQ(waitpid(other_process.process, &status, 0), other_process.process);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
  EXPECT_DONE(cuEventDestroy(written));
  EXPECT_DONE(cuEventDestroy(answered));
  EXPECT_DONE(cuEventDestroy(plain));
  EXPECT_DONE(cuMemFree(memory));
  CUipcMemHandle bad{};
  EXPECT_RESULT(cuIpcOpenMemHandle(&own, bad, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
                CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
