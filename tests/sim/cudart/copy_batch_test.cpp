// Copies of several boxes by one call.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

namespace {

TEST(CopyBatch, BoxesAreCopiedInTheStream) {
  std::vector<unsigned char> from(64), to(64, 0);
  for (std::size_t i = 0; i < 64; ++i) from[i] = static_cast<unsigned char>(i + 1);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  cudaMemcpy3DBatchOp operations[2] = {};
  for (cudaMemcpy3DBatchOp& one : operations) {
    one.src.type = one.dst.type = cudaMemcpyOperandTypePointer;
    one.extent = {64, 1, 1};
    one.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  }
  operations[0].src.op.ptr.ptr = from.data();
  operations[0].dst.op.ptr.ptr = memory;
  operations[1].src.op.ptr.ptr = memory;
  operations[1].src.op.ptr.rowLength = 16;
  operations[1].dst.op.ptr.ptr = to.data();
  operations[1].extent = {8, 4, 1};
  ASSERT_EQ(cudaMemcpy3DBatchAsync(2, operations, 0, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(to[i], i / 8 * 16 + i % 8 + 1) << i;
  EXPECT_EQ(to[32], 0);
  EXPECT_EQ(cudaMemcpy3DBatchAsync(0, operations, 0, stream), cudaErrorInvalidValue);
  operations[1].extent.height = 0;
  EXPECT_EQ(cudaMemcpy3DBatchAsync(2, operations, 0, stream), cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

}  // namespace
