// device: b200,sms=4
// A convolution with three taps along W: one box of im2col::w holds sixteen pixels of a row of
// several images and the two behind them, so that every tap reads the same box.
#include "blackwell.cuh"
#include "maps.hpp"

namespace {

constexpr int channels = 32, width = 9, height = 5, images = 6;
constexpr int pixels = 16, halo = 2, row_bytes = channels * 4;
constexpr int first_w = 3, first_image = 2;

__global__ void __launch_bounds__(channels)
    taps(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ alignas(1024) float box[(pixels + halo) * channels];
  __shared__ std::uint64_t full;
  const std::uint32_t barrier = blackwell::shared_address(&full);
  if (threadIdx.x == 0) {
    blackwell::barrier_init(barrier, 1);
    blackwell::barrier_init_fence();
    blackwell::barrier_expect(barrier, (pixels + halo) * row_bytes);
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(blackwell::shared_address(box)),
        "l"(&map), "r"(0), "r"(first_w), "r"(blockIdx.x), "r"(first_image), "r"(barrier),
        "h"(std::uint16_t{halo}), "h"(std::uint16_t{0})
        : "memory");
  }
  __syncthreads();
  blackwell::barrier_wait(barrier, 0);
  const int channel = static_cast<int>(threadIdx.x);
  const auto at = [&](int row) {  // 16 bytes change places with the row
    return box[row * channels + (channel / 4 ^ row % 8) * 4 + channel % 4];
  };
  for (int row = 0; row < pixels; ++row)
    out[(blockIdx.x * pixels + row) * channels + channel] =
        at(row) + 2 * at(row + 1) + 4 * at(row + 2);
}

CUtensorMap wide_map(void* tensor) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer{};
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2colWide", &found, 12080,
                                         cudaEnableDefault, &answer));
  expect(found != nullptr && answer == cudaDriverEntryPointSuccess, "cuTensorMapEncodeIm2colWide");
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeIm2colWide)>(found);
  const cuuint64_t sizes[] = {channels, width, height, images};
  const cuuint64_t strides[] = {row_bytes, width * row_bytes, height * width * row_bytes};
  const cuuint32_t steps[] = {1, 1, 1, 1};
  CUtensorMap map;
  expect(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, tensor, sizes, strides, 0, 0, channels,
                pixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,
                CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS,
         "a tensor map along W");
  return map;
}

}  // namespace

int main() {
  std::vector<float> tensor(images * height * width * channels);
  const auto random = numbers(tensor.size(), 7);
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = float(random[i] % 1000);
  const OnDevice<float> on_device(tensor), out(height * pixels * channels);
  taps<<<height, channels>>>(wide_map(on_device.get()), out.get());
  finish();
  const std::vector<float> got = out.fetch();
  // Pixels whose taps lie in one row: a row ends with the image.
  std::vector<float> want = got;
  for (int h = 0; h < height; ++h)
    for (int row = 0; row < pixels; ++row) {
      const int w = (first_w + row) % width, n = first_image + (first_w + row) / width;
      if (w + halo >= width) continue;
      for (int c = 0; c < channels; ++c) {
        const auto x = [&](int tap) {
          return tensor[((std::size_t(n) * height + h) * width + w + tap) * channels + c];
        };
        want[(h * pixels + row) * channels + c] = x(0) + 2 * x(1) + 4 * x(2);
      }
    }
  expect_equal(got, want, "three taps along W");
  return passed();
}
