// A seven-point stencil in three dimensions: a block marches through the planes, the middle one in
// shared memory, the ones before and behind in registers; the volume is a cudaMalloc3D one.
#include "check.hpp"

namespace {

constexpr int width = 37, height = 21, depth = 14, tile_x = 32, tile_y = 8;

struct Volume {
  char* base;
  std::size_t pitch;
  __device__ float& operator()(int x, int y, int z) const {
    return reinterpret_cast<float*>(base + (static_cast<std::size_t>(z) * height + y) * pitch)[x];
  }
};

__global__ void march(Volume in, Volume out, float centre, float side) {
  __shared__ float plane[tile_y + 2][tile_x + 2];
  const int x = blockIdx.x * tile_x + threadIdx.x, y = blockIdx.y * tile_y + threadIdx.y;
  const int u = threadIdx.x + 1, v = threadIdx.y + 1;
  const bool valid = x < width && y < height;
  const bool inside = valid && x > 0 && y > 0 && x < width - 1 && y < height - 1;
  float behind = valid ? in(x, y, 0) : 0, here = valid ? in(x, y, 1) : 0;
  if (valid) out(x, y, 0) = behind;
  for (int z = 1; z < depth - 1; ++z) {
    const float ahead = valid ? in(x, y, z + 1) : 0;
    __syncthreads();  // the last plane has been read
    plane[v][u] = here;
    if (valid && threadIdx.x == 0 && x > 0) plane[v][0] = in(x - 1, y, z);
    if (valid && threadIdx.x == tile_x - 1 && x < width - 1) plane[v][u + 1] = in(x + 1, y, z);
    if (valid && threadIdx.y == 0 && y > 0) plane[0][u] = in(x, y - 1, z);
    if (valid && threadIdx.y == tile_y - 1 && y < height - 1) plane[v + 1][u] = in(x, y + 1, z);
    __syncthreads();
    if (valid)
      out(x, y, z) =
          inside ? centre * here + side * (plane[v][u - 1] + plane[v][u + 1] + plane[v - 1][u] +
                                           plane[v + 1][u] + behind + ahead)
                 : here;
    behind = here;
    here = ahead;
  }
  if (valid) out(x, y, depth - 1) = here;
}

}  // namespace

int main() {
  const auto start = reals(width * height * depth, 2);
  const cudaExtent extent = make_cudaExtent(width * sizeof(float), height, depth);
  cudaPitchedPtr in, out;
  CHECK(cudaMalloc3D(&in, extent));
  CHECK(cudaMalloc3D(&out, extent));
  CHECK(cudaMemset3D(out, 0xff, extent));
  cudaMemcpy3DParms copy{};
  copy.srcPtr =
      make_cudaPitchedPtr(const_cast<float*>(start.data()), width * sizeof(float), width, height);
  copy.dstPtr = in;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  march<<<dim3(blocks_for(width, tile_x), blocks_for(height, tile_y)), dim3(tile_x, tile_y)>>>(
      Volume{static_cast<char*>(in.ptr), in.pitch}, Volume{static_cast<char*>(out.ptr), out.pitch},
      -0.5f, 0.25f);
  finish();
  std::vector<float> got(start.size());
  copy = {};
  copy.srcPtr = out;
  copy.dstPtr = make_cudaPitchedPtr(got.data(), width * sizeof(float), width, height);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  std::vector<double> want(start.begin(), start.end());
  const auto at = [&](int x, int y, int z) { return double(start[(z * height + y) * width + x]); };
  for (int z = 1; z < depth - 1; ++z)
    for (int y = 1; y < height - 1; ++y)
      for (int x = 1; x < width - 1; ++x)
        want[(z * height + y) * width + x] =
            -0.5 * at(x, y, z) + 0.25 * (at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) +
                                         at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1));
  expect_close(got, want, 1e-6, "volume");
  CHECK(cudaFree(in.ptr));
  CHECK(cudaFree(out.ptr));
  return passed();
}
