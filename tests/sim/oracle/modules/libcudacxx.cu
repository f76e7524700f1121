// cuda::barrier, cuda::pipeline, cuda::atomic_ref and asynchronous copies.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/complex>

extern "C" __global__ void barriers(int* out, const int* in) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  alignas(16) __shared__ int data[128];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(data + threadIdx.x, in + threadIdx.x, sizeof(int), barrier);
  barrier.arrive_and_wait();
  auto token = barrier.arrive();
  barrier.wait(cuda::std::move(token));
  cuda::atomic_ref<int, cuda::thread_scope_device> total(out[0]);
  total.fetch_add(data[127 - threadIdx.x], cuda::memory_order_acq_rel);
  total.fetch_max(3, cuda::memory_order_relaxed);
  while (total.load(cuda::memory_order_acquire) < 0) {
  }
}
extern "C" __global__ void pipelines(float* out, const float* in) {
  __shared__ float stages[2][128];
  auto pipe = cuda::make_pipeline();
  for (int step = 0; step < 4; ++step) {
    pipe.producer_acquire();
    cuda::memcpy_async(&stages[step & 1][threadIdx.x], in + step * 128 + threadIdx.x, sizeof(float),
                       pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    out[threadIdx.x] += stages[(step + 1) & 1][threadIdx.x];
    pipe.consumer_release();
  }
  cuda::std::complex<float> z(in[0], in[1]);
  out[threadIdx.x] += abs(z * z);
}
