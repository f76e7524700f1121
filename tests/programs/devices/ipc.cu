// Two processes share device memory and an event: the parent starts itself again before it touches
// CUDA, hands out handles over a pipe, and waits for what the child's kernel wrote.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "check.hpp"

namespace {

constexpr int count = 2000;

struct Handles {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t written, answered;
};

__global__ void fill(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = i;
}
__global__ void square(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= data[i];
}

void transfer(bool wanted, const char* what) { expect(wanted, what); }

int child(int from_parent, int to_parent) {
  Handles handles;
  transfer(read(from_parent, &handles, sizeof handles) == sizeof handles, "handles arrive");
  int* data = nullptr;
  cudaEvent_t written, answered;
  CHECK(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&data), handles.memory,
                             cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcOpenEventHandle(&written, handles.written));
  CHECK(cudaIpcOpenEventHandle(&answered, handles.answered));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamWaitEvent(stream, written));
  square<<<blocks_for(count, 128), 128, 0, stream>>>(data + count);  // the second half
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(answered, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaIpcCloseMemHandle(data));
  const char done = 'd';
  transfer(write(to_parent, &done, 1) == 1, "the parent is told");
  char leave;
  transfer(read(from_parent, &leave, 1) == 1, "the parent has looked");
  CHECK(cudaEventDestroy(written));
  CHECK(cudaEventDestroy(answered));
  CHECK(cudaStreamDestroy(stream));
  return 0;
}

}  // namespace

int main(int words, char** word) {
  if (words == 3) return child(std::stoi(word[1]), std::stoi(word[2]));
  int there[2], back[2];
  transfer(pipe(there) == 0 && pipe(back) == 0, "pipes");
  const pid_t process = fork();
  if (process == 0) {
    close(there[1]);
    const auto in = std::to_string(there[0]), out = std::to_string(back[1]);
    char self[4096] = {};
    transfer(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "its own file");
    // Among other programs in one file, the name of this one comes first.
    if (std::string(word[0]).find('/') == std::string::npos)
      execl(self, self, word[0], in.c_str(), out.c_str(), nullptr);
    execl(self, self, in.c_str(), out.c_str(), nullptr);
    _exit(9);
  }
  close(there[0]);
  close(back[1]);
  int* data = nullptr;
  CHECK(cudaMalloc(&data, 2 * count * sizeof(int)));
  CHECK(cudaMemset(data, 0xff, 2 * count * sizeof(int)));
  cudaEvent_t written, answered;
  CHECK(cudaEventCreateWithFlags(&written, cudaEventDisableTiming | cudaEventInterprocess));
  CHECK(cudaEventCreateWithFlags(&answered, cudaEventDisableTiming | cudaEventInterprocess));
  fill<<<blocks_for(count, 128), 128>>>(data);
  fill<<<blocks_for(count, 128), 128>>>(data + count);
  CHECK(cudaEventRecord(written));
  Handles handles;
  CHECK(cudaIpcGetMemHandle(&handles.memory, data));
  CHECK(cudaIpcGetEventHandle(&handles.written, written));
  CHECK(cudaIpcGetEventHandle(&handles.answered, answered));
  transfer(write(there[1], &handles, sizeof handles) == sizeof handles, "handles are handed out");
  char done;
  transfer(read(back[0], &done, 1) == 1, "the child answers");
  CHECK(cudaStreamWaitEvent(nullptr, answered));
  std::vector<int> got(2 * count), want(2 * count);
  CHECK(cudaMemcpy(got.data(), data, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; ++i) want[i] = i, want[count + i] = i * i;
  expect_equal(got, want, "both processes' numbers");
  transfer(write(there[1], &done, 1) == 1, "the child may leave");
  int status = -1;
  transfer(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0,
           "the child ends well");
  CHECK(cudaEventDestroy(written));
  CHECK(cudaEventDestroy(answered));
  CHECK(cudaFree(data));
  return passed();
}
