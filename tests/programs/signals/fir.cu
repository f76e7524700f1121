// A long filter over a stream of samples in chunks: each thread keeps a window in registers, the
// chunks overlap by the filter's length, and two streams take turns with pinned memory.
#include "check.hpp"

namespace {

constexpr int taps = 32, per_thread = 4, threads = 64, chunk = 1024, chunks = 5;

__global__ void filter(const float* in, const float* weights, float* out, int count) {
  __shared__ float held[taps];
  if (threadIdx.x < taps) held[threadIdx.x] = weights[threadIdx.x];
  __syncthreads();
  const int first = (blockIdx.x * threads + threadIdx.x) * per_thread;
  if (first >= count) return;
  float window[taps + per_thread - 1];
#pragma unroll
  for (int i = 0; i < taps + per_thread - 1; ++i)
    window[i] = first + i < count + taps - 1 ? in[first + i] : 0;
#pragma unroll
  for (int i = 0; i < per_thread; ++i) {
    float sum = 0;
#pragma unroll
    for (int tap = 0; tap < taps; ++tap) sum = fmaf(held[tap], window[i + taps - 1 - tap], sum);
    if (first + i < count) out[first + i] = sum;
  }
}

}  // namespace

int main() {
  constexpr int count = chunk * (chunks - 1) + 517;  // the last chunk is short
  const auto samples = reals(count + taps - 1, 9), weights = reals(taps, 10);
  float *in = nullptr, *out = nullptr;
  CHECK(cudaHostAlloc(&in, samples.size() * sizeof(float), cudaHostAllocWriteCombined));
  CHECK(cudaMallocHost(&out, count * sizeof(float)));
  std::copy(samples.begin(), samples.end(), in);
  std::fill(out, out + count, NAN);

  const OnDevice<float> filter_weights(weights), first_in(chunk + taps), second_in(chunk + taps),
      first_out(chunk), second_out(chunk);
  cudaStream_t streams[2];
  for (auto& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int i = 0; i < chunks; ++i) {
    const int start = i * chunk, length = std::min(chunk, count - start);
    float* device_in = (i % 2 ? second_in : first_in).get();
    float* device_out = (i % 2 ? second_out : first_out).get();
    CHECK(cudaMemcpyAsync(device_in, in + start, (length + taps - 1) * sizeof(float),
                          cudaMemcpyHostToDevice, streams[i % 2]));
    filter<<<blocks_for(length, threads * per_thread), threads, 0, streams[i % 2]>>>(
        device_in, filter_weights.get(), device_out, length);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(out + start, device_out, length * sizeof(float), cudaMemcpyDeviceToHost,
                          streams[i % 2]));
  }
  for (auto& stream : streams) {
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
  }
  std::vector<double> want(count);
  for (int i = 0; i < count; ++i)
    for (int tap = 0; tap < taps; ++tap)
      want[i] += double(weights[tap]) * samples[i + taps - 1 - tap];
  expect_close(std::vector<float>(out, out + count), want, taps * taps * 0x1p-24, "filtered");
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
  return passed();
}
