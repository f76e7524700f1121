// A bilateral filter: weights by distance from a table and by difference of colour from __expf;
// the picture is reached through const __restrict__ pointers and __ldg.
#include "check.hpp"

namespace {

constexpr int radius = 3, span = 2 * radius + 1;

struct Table {
  float near[span * span];
};

__global__ void smooth(const float4* __restrict__ in, float4* __restrict__ out, int width,
                       int height, const __grid_constant__ Table table, float sharpness) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float4 middle = __ldg(&in[y * width + x]);
  float4 sum = make_float4(0, 0, 0, 0);
  float total = 0;
  for (int i = 0; i < span * span; ++i) {
    const int u = x + i % span - radius, v = y + i / span - radius;
    if (u < 0 || v < 0 || u >= width || v >= height) continue;
    const float4 other = __ldg(&in[v * width + u]);
    const float dx = other.x - middle.x, dy = other.y - middle.y, dz = other.z - middle.z;
    const float weight = table.near[i] * __expf(-sharpness * (dx * dx + dy * dy + dz * dz));
    sum.x += weight * other.x, sum.y += weight * other.y, sum.z += weight * other.z;
    total += weight;
  }
  out[y * width + x] = make_float4(__fdividef(sum.x, total), sum.y / total,
                                   __fmul_rn(sum.z, __frcp_rn(total)), total);
}

}  // namespace

int main() {
  constexpr int width = 45, height = 33;
  constexpr float sharpness = 3;
  const auto raw = reals(3 * width * height, 7, 0, 1);
  std::vector<float4> image;
  for (int i = 0; i < width * height; ++i)
    image.push_back(make_float4(raw[3 * i], raw[3 * i + 1], raw[3 * i + 2], 1));
  Table table;
  for (int i = 0; i < span * span; ++i)
    table.near[i] = std::exp(-0.1f * static_cast<float>((i % span - radius) * (i % span - radius) +
                                                        (i / span - radius) * (i / span - radius)));
  const OnDevice<float4> in(image), out(image.size());
  smooth<<<dim3(blocks_for(width, 16), blocks_for(height, 8)), dim3(16, 8)>>>(
      in.get(), out.get(), width, height, table, sharpness);
  finish();

  const auto got = out.fetch();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double sum[3] = {}, total = 0;
      const float4 middle = image[y * width + x];
      for (int v = std::max(y - radius, 0); v <= std::min(y + radius, height - 1); ++v)
        for (int u = std::max(x - radius, 0); u <= std::min(x + radius, width - 1); ++u) {
          const float4 other = image[v * width + u];
          const double dx = double(other.x) - middle.x, dy = double(other.y) - middle.y,
                       dz = double(other.z) - middle.z;
          const double weight = table.near[(v - y + radius) * span + u - x + radius] *
                                std::exp(-sharpness * (dx * dx + dy * dy + dz * dz));
          sum[0] += weight * other.x, sum[1] += weight * other.y, sum[2] += weight * other.z;
          total += weight;
        }
      const float4 value = got[y * width + x];
      expect(std::abs(value.x - sum[0] / total) < 1e-5 &&
                 std::abs(value.y - sum[1] / total) < 1e-5 &&
                 std::abs(value.z - sum[2] / total) < 1e-5 && std::abs(value.w - total) < 1e-4,
             "smoothed pixel");
    }
  return passed();
}
