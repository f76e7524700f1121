// Copies of every shape: two and three dimensions with offsets and pitches, symbols forth and back,
// registered host memory, mapped memory that a kernel reads and writes, fills of parts.
#include "check.hpp"

namespace {

__device__ float table[64];
__constant__ int numbers_in_constant[16];
__device__ int counter = 41;

__global__ void use_symbols(float* out) {
  const int i = threadIdx.x;
  out[i] = table[i] * static_cast<float>(numbers_in_constant[i % 16]);
  if (i == 0) ++counter;
}
__global__ void negate(const int* from, int* to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = -from[i];
}

void check_planes() {
  constexpr int width = 10, height = 7, pitch = 16;
  std::vector<int> source(width * height);
  for (int i = 0; i < width * height; ++i) source[i] = i;
  const OnDevice<int> device(std::vector<int>(pitch * height, -1));
  // A window of 4 x 3 at (2, 1) goes to (5, 2) of a wider plane.
  CHECK(cudaMemcpy2DAsync(device.get() + 2 * pitch + 5, pitch * sizeof(int),
                          source.data() + width + 2, width * sizeof(int), 4 * sizeof(int), 3,
                          cudaMemcpyHostToDevice, nullptr));
  CHECK(cudaMemset2DAsync(device.get(), pitch * sizeof(int), 0, 2 * sizeof(int), height, nullptr));
  CHECK(cudaStreamSynchronize(nullptr));
  std::vector<int> want(pitch * height, -1);
  for (int row = 0; row < height; ++row) want[row * pitch] = want[row * pitch + 1] = 0;
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 4; ++column)
      want[(row + 2) * pitch + column + 5] = (row + 1) * width + column + 2;
  expect_equal(device.fetch(), want, "a window of a plane");
}

void check_boxes() {
  constexpr int edge = 6;
  std::vector<short> source(edge * edge * edge), got(edge * edge * edge, -1);
  for (int i = 0; i < edge * edge * edge; ++i) source[i] = static_cast<short>(i);
  cudaPitchedPtr device;
  const auto extent = make_cudaExtent(edge * sizeof(short), edge, edge);
  CHECK(cudaMalloc3D(&device, extent));
  CHECK(cudaMemset3DAsync(device, 0, extent, nullptr));
  cudaMemcpy3DParms in{};
  in.srcPtr = make_cudaPitchedPtr(source.data(), edge * sizeof(short), edge, edge);
  in.srcPos = make_cudaPos(1 * sizeof(short), 2, 0);
  in.dstPtr = device;
  in.dstPos = make_cudaPos(0, 1, 3);
  in.extent = make_cudaExtent(3 * sizeof(short), 2, 3);
  in.kind = cudaMemcpyDefault;
  CHECK(cudaMemcpy3DAsync(&in, nullptr));
  cudaMemcpy3DParms out{};
  out.srcPtr = device;
  out.dstPtr = make_cudaPitchedPtr(got.data(), edge * sizeof(short), edge, edge);
  out.extent = extent;
  out.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&out));
  std::vector<short> want(got.size(), 0);
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x)
        want[((z + 3) * edge + y + 1) * edge + x] = source[(z * edge + y + 2) * edge + x + 1];
  expect_equal(got, want, "a box of a volume");
  CHECK(cudaFree(device.ptr));
}

void check_symbols() {
  const auto values = reals(64, 2);
  const auto raw = numbers(16, 3);
  std::vector<int> factors;
  for (const unsigned bits : raw) factors.push_back(static_cast<int>(bits >> 28));
  CHECK(cudaMemcpyToSymbol(table, values.data(), 32 * sizeof(float)));
  CHECK(cudaMemcpyToSymbolAsync(table, values.data() + 32, 32 * sizeof(float), 32 * sizeof(float),
                                cudaMemcpyHostToDevice, nullptr));
  void* address = nullptr;
  std::size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, numbers_in_constant));
  CHECK(cudaGetSymbolSize(&bytes, numbers_in_constant));
  expect(bytes == 16 * sizeof(int), "size of a symbol");
  CHECK(cudaMemcpy(address, factors.data(), bytes, cudaMemcpyHostToDevice));
  const OnDevice<float> out(64);
  use_symbols<<<1, 64>>>(out.get());
  finish();
  std::vector<float> want(64), half(32);
  for (int i = 0; i < 64; ++i) want[i] = values[i] * static_cast<float>(factors[i % 16]);
  expect_equal(out.fetch(), want, "symbols");
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  expect(count == 42, "a variable with an initial value");
  CHECK(cudaMemcpyFromSymbol(half.data(), table, 32 * sizeof(float), 16 * sizeof(float)));
  expect_equal(half, std::vector<float>(values.begin() + 16, values.begin() + 48), "a part of it");
}

void check_mapped() {
  constexpr int count = 1000;
  std::vector<int> registered(count);
  for (int i = 0; i < count; ++i) registered[i] = i;
  CHECK(cudaHostRegister(registered.data(), count * sizeof(int), cudaHostRegisterMapped));
  int *source = nullptr, *pinned = nullptr;
  CHECK(cudaHostGetDevicePointer(&source, registered.data(), 0));
  CHECK(cudaHostAlloc(&pinned, count * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
  unsigned flags = 0;
  CHECK(cudaHostGetFlags(&flags, pinned));
  expect(flags & cudaHostAllocMapped, "flags of host memory");
  negate<<<blocks_for(count, 64), 64>>>(source, pinned, count);
  finish();
  for (int i = 0; i < count; ++i) expect(pinned[i] == -i, "mapped memory");
  cudaPointerAttributes attributes{};
  CHECK(cudaPointerGetAttributes(&attributes, pinned));
  expect(attributes.type == cudaMemoryTypeHost, "attributes of pinned memory");
  CHECK(cudaHostUnregister(registered.data()));
  CHECK(cudaFreeHost(pinned));
}

}  // namespace

int main() {
  check_planes();
  check_boxes();
  check_symbols();
  check_mapped();
  return passed();
}
