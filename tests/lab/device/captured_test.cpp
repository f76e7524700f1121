// A graph that somebody else captured, launched by itself and as a part of another graph.
#include "peers/python/captured.hpp"

#include <gtest/gtest.h>

#include "base/refuse.hpp"
#include "lab/device/device.hpp"

namespace aisp::lab {
namespace {

// What PyTorch does: its own stream, captured once.
class Foreign {
 public:
  Foreign(void* memory, int byte, std::size_t bytes) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    if (bytes > 0) cudaMemsetAsync(memory, byte, bytes, stream_);
    cudaStreamEndCapture(stream_, &graph_);
  }
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;
  ~Foreign() {
    cudaGraphDestroy(graph_);
    cudaStreamDestroy(stream_);
  }
  cudaGraph_t graph() const { return graph_; }

 private:
  cudaStream_t stream_{};
  cudaGraph_t graph_{};
};

int first_of(Device& device, const Buffer& buffer) {
  int value = 0;
  device.download(&value, buffer.get(), sizeof value);
  return value;
}

TEST(CudaDevice, LaunchesACapturedGraphInStreamOrder) {
  if (const auto why = why_no_cuda_device(); !why.empty()) GTEST_SKIP() << why;
  const auto device = open_cuda_device();
  const Buffer buffer(*device, 64);
  const Foreign foreign(buffer.get(), 1, 64);
  const peers::Captured captured(foreign.graph());
  device->fill(buffer.get(), 0, 64);
  EXPECT_EQ(first_of(*device, buffer), 0) << "nothing runs before it is launched";
  for (int i = 0; i < 2; ++i) {
    device->fill(buffer.get(), 7, 64);
    captured.enqueue(device->stream());
    EXPECT_EQ(first_of(*device, buffer), 0x01010101);
  }
}

TEST(CudaDevice, ACapturedGraphBecomesAPartOfARecordedOne) {
  if (const auto why = why_no_cuda_device(); !why.empty()) GTEST_SKIP() << why;
  const auto device = open_cuda_device();
  const Buffer buffer(*device, 64), other(*device, 64);
  const Foreign foreign(buffer.get(), 1, 64);
  const peers::Captured captured(foreign.graph());
  const auto replay = device->record([&] {
    device->fill(buffer.get(), 5, 64);  // before it, in stream order
    captured.enqueue(device->stream());
    cudaMemcpyAsync(other.get(), buffer.get(), 64, cudaMemcpyDeviceToDevice, device->stream());
  });
  device->fill(other.get(), 0, 64);
  EXPECT_EQ(first_of(*device, other), 0);
  replay->enqueue();
  EXPECT_EQ(first_of(*device, other), 0x01010101);
}

TEST(CudaDevice, AGraphWithoutWorkIsRefused) {
  if (const auto why = why_no_cuda_device(); !why.empty()) GTEST_SKIP() << why;
  const auto device = open_cuda_device();
  const Foreign foreign(nullptr, 0, 0);
  EXPECT_THROW(peers::Captured{foreign.graph()}, base::Refusal);
}

}  // namespace
}  // namespace aisp::lab
