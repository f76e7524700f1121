#include "chapters/ch10/implicit_gemm_conv/im2col.hpp"

#include <cuda_bf16.h>

#include "lab/case/rung.hpp"

namespace aisp::ch10::im2col {
namespace {

struct Shape {
  int h, w, p, q;
  int pixels;   // n * p * q
  int filter;   // taps in a row of it
  int groups;   // of channels
  int vectors;  // of 16 bytes in the channels that a group has of a pixel
  int stride, padding, dilation;
  int column_blocks;  // blocks beside each other along a row of the matrix
};

constexpr int lanes = 32, pixels_at_once = 8, loads_in_flight = 4;
constexpr int pixels_of_block = pixels_at_once * loads_in_flight * 2;

// A thread has one 16-byte column of the matrix, so that it works out tap and channel once, and
// walks down the pixels of its block with four loads under way. Blocks of the same pixels follow
// each other: their taps meet the same pixels of x, in L2.
__global__ void __launch_bounds__(lanes* pixels_at_once)
    gather_patches(const uint4* __restrict__ x, uint4* __restrict__ patches, const Shape shape) {
  const int group_vectors = shape.filter * shape.filter * shape.vectors;
  const int row_vectors = shape.groups * group_vectors;
  const int column = static_cast<int>(blockIdx.x) % shape.column_blocks * lanes +
                     static_cast<int>(threadIdx.x) % lanes;
  const int first = static_cast<int>(blockIdx.x) / shape.column_blocks * pixels_of_block +
                    static_cast<int>(threadIdx.x) / lanes;
  if (column >= row_vectors) return;
  const int tap = column % group_vectors / shape.vectors;
  const int channel = column / group_vectors * shape.vectors + column % shape.vectors;
  const int shift_h = tap / shape.filter * shape.dilation - shape.padding;
  const int shift_w = tap % shape.filter * shape.dilation - shape.padding;
  for (int done = 0; done < pixels_of_block; done += pixels_at_once * loads_in_flight) {
    uint4 values[loads_in_flight];
#pragma unroll
    for (int i = 0; i < loads_in_flight; ++i) {
      const int pixel = first + done + i * pixels_at_once;
      const int line = pixel / shape.q;
      const int h = line % shape.p * shape.stride + shift_h;
      const int w = pixel % shape.q * shape.stride + shift_w;
      const bool inside = pixel < shape.pixels && h >= 0 && h < shape.h && w >= 0 && w < shape.w;
      const std::int64_t at =
          (static_cast<std::int64_t>(line / shape.p) * shape.h + h) * shape.w + w;
      values[i] = inside ? __ldg(x + at * shape.groups * shape.vectors + channel) : uint4{};
    }
#pragma unroll
    for (int i = 0; i < loads_in_flight; ++i) {
      const int pixel = first + done + i * pixels_at_once;
      if (pixel < shape.pixels)
        patches[static_cast<std::int64_t>(pixel) * row_vectors + column] = values[i];
    }
  }
}

// A thread has 8 channels of pixels of dx and adds up what the taps brought, in their order. Blocks
// of neighbouring pixels follow each other: what they read of a row of columns is in L2.
__global__ void __launch_bounds__(lanes* pixels_at_once)
    add_columns(const float4* __restrict__ columns, uint4* __restrict__ dx, const Shape shape,
                int images) {
  const int channel = static_cast<int>(blockIdx.x) % shape.column_blocks * lanes +
                      static_cast<int>(threadIdx.x) % lanes;
  const int pixel = static_cast<int>(blockIdx.x) / shape.column_blocks * pixels_at_once +
                    static_cast<int>(threadIdx.x) / lanes;
  if (channel >= shape.vectors || pixel >= images * shape.h * shape.w) return;
  const int line = pixel / shape.w, h = line % shape.h + shape.padding;
  const int w = pixel % shape.w + shape.padding;
  float sum[8]{};
  for (int r = 0; r < shape.filter; ++r) {
    const int from_h = h - r * shape.dilation;
    if (from_h < 0 || from_h % shape.stride != 0 || from_h / shape.stride >= shape.p) continue;
    for (int s = 0; s < shape.filter; ++s) {
      const int from_w = w - s * shape.dilation;
      if (from_w < 0 || from_w % shape.stride != 0 || from_w / shape.stride >= shape.q) continue;
      const std::int64_t row =
          (static_cast<std::int64_t>(line / shape.h) * shape.p + from_h / shape.stride) * shape.q +
          from_w / shape.stride;
      const float4* from =
          columns + 2 * ((row * shape.filter + r) * shape.filter + s) * shape.vectors + 2 * channel;
      const float4 low = __ldg(from), high = __ldg(from + 1);
      sum[0] += low.x, sum[1] += low.y, sum[2] += low.z, sum[3] += low.w;
      sum[4] += high.x, sum[5] += high.y, sum[6] += high.z, sum[7] += high.w;
    }
  }
  __nv_bfloat162 rounded[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) rounded[i] = __floats2bfloat162_rn(sum[2 * i], sum[2 * i + 1]);
  dx[static_cast<std::int64_t>(pixel) * shape.vectors + channel] =
      *reinterpret_cast<const uint4*>(rounded);
}

int blocks(int extent, int of_block) { return (extent + of_block - 1) / of_block; }

Shape shape_of(const lab::ConvShape& conv, int element_bytes) {
  const auto whole = [](std::int64_t value) { return static_cast<int>(value); };
  const int vectors = whole(conv.group_c() * element_bytes / 16);
  return {.h = whole(conv.h),
          .w = whole(conv.w),
          .p = whole(conv.p()),
          .q = whole(conv.q()),
          .pixels = whole(conv.pixels()),
          .filter = whole(conv.r),
          .groups = whole(conv.groups),
          .vectors = vectors,
          .stride = whole(conv.stride),
          .padding = whole(conv.padding()),
          .dilation = whole(conv.dilation),
          .column_blocks = blocks(whole(conv.groups * conv.taps()) * vectors, lanes)};
}

}  // namespace

void enqueue(const lab::ConvShape& conv, int element_bytes, const void* x, void* patches,
             cudaStream_t stream) {
  const Shape shape = shape_of(conv, element_bytes);
  const auto grid =
      static_cast<unsigned>(shape.column_blocks * blocks(shape.pixels, pixels_of_block));
  gather_patches<<<grid, lanes * pixels_at_once, 0, stream>>>(static_cast<const uint4*>(x),
                                                              static_cast<uint4*>(patches), shape);
  lab::check_cuda(cudaGetLastError(), "gather_patches");
}

void add_up(const lab::ConvShape& conv, const void* columns, void* dx, cudaStream_t stream) {
  Shape shape = shape_of(conv, 2);
  shape.column_blocks = blocks(shape.vectors, lanes);
  const int images = static_cast<int>(conv.n);
  const auto grid = static_cast<unsigned>(shape.column_blocks *
                                          blocks(images * shape.h * shape.w, pixels_at_once));
  add_columns<<<grid, lanes * pixels_at_once, 0, stream>>>(static_cast<const float4*>(columns),
                                                           static_cast<uint4*>(dx), shape, images);
  lab::check_cuda(cudaGetLastError(), "add_columns");
}

}  // namespace aisp::ch10::im2col
