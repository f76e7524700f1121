#include "chapters/ch10/implicit_gemm_conv/im2col.hpp"

#include "lab/case/rung.hpp"

namespace aisp::ch10::im2col {
namespace {

struct Shape {
  int h, w, p, q;
  int pixels;   // n * p * q
  int filter;   // taps in a row of it
  int vectors;  // of 16 bytes in a pixel's channels
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
  const int row_vectors = shape.filter * shape.filter * shape.vectors;
  const int column = static_cast<int>(blockIdx.x) % shape.column_blocks * lanes +
                     static_cast<int>(threadIdx.x) % lanes;
  const int first = static_cast<int>(blockIdx.x) / shape.column_blocks * pixels_of_block +
                    static_cast<int>(threadIdx.x) / lanes;
  if (column >= row_vectors) return;
  const int tap = column / shape.vectors, channel = column % shape.vectors;
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
      values[i] = inside ? __ldg(x + at * shape.vectors + channel) : uint4{};
    }
#pragma unroll
    for (int i = 0; i < loads_in_flight; ++i) {
      const int pixel = first + done + i * pixels_at_once;
      if (pixel < shape.pixels)
        patches[static_cast<std::int64_t>(pixel) * row_vectors + column] = values[i];
    }
  }
}

}  // namespace

void enqueue(const lab::ConvShape& conv, const void* x, void* patches, cudaStream_t stream) {
  const auto whole = [](std::int64_t value) { return static_cast<int>(value); };
  const auto blocks = [](int extent, int of_block) { return (extent + of_block - 1) / of_block; };
  Shape shape{.h = whole(conv.h),
              .w = whole(conv.w),
              .p = whole(conv.p()),
              .q = whole(conv.q()),
              .pixels = whole(conv.pixels()),
              .filter = whole(conv.r),
              .vectors = whole(conv.c / 8),
              .stride = whole(conv.stride),
              .padding = whole(conv.padding()),
              .dilation = whole(conv.dilation),
              .column_blocks = blocks(whole(conv.depth() / 8), lanes)};
  const auto grid =
      static_cast<unsigned>(shape.column_blocks * blocks(shape.pixels, pixels_of_block));
  gather_patches<<<grid, lanes * pixels_at_once, 0, stream>>>(static_cast<const uint4*>(x),
                                                              static_cast<uint4*>(patches), shape);
  lab::check_cuda(cudaGetLastError(), "gather_patches");
}

}  // namespace aisp::ch10::im2col
