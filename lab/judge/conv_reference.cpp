#include "lab/judge/conv_reference.hpp"

#include <algorithm>
#include <cstring>

#include "base/parallel.hpp"
#include "lab/case/references.hpp"

namespace aisp::lab {
namespace {

struct Channels {
  std::int64_t first, count;
};

HostTensor matrix(Dtype dtype, std::int64_t rows, std::int64_t columns) {
  HostTensor made{{.name = "matrix", .dtype = dtype, .shape = {rows, columns}}, {}};
  made.data.resize(static_cast<std::size_t>(made.what.bytes()));
  return made;
}

// Row i: for each tap the channels of the pixel that source(first + i, r, s) names, zeros where
// that is -1.
template <class Source>
HostTensor gather(const ConvShape& shape, const HostTensor& images, Channels channels,
                  std::int64_t first, std::int64_t count, const Source& source) {
  const Dtype dtype = images.what.dtype;
  HostTensor rows = matrix(dtype, count, shape.taps() * channels.count);
  const std::int64_t of_pixel = images.what.shape.back() * bytes_of(dtype);
  const std::int64_t bytes = channels.count * bytes_of(dtype);
  const std::byte* from = images.data.data() + channels.first * bytes_of(dtype);
  base::parallel_ranges(
      count,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          for (std::int64_t tap = 0; tap < shape.taps(); ++tap) {
            const std::int64_t at = source(first + i, tap / shape.r, tap % shape.r);
            if (at >= 0)
              std::memcpy(rows.data.data() + (i * shape.taps() + tap) * bytes, from + at * of_pixel,
                          static_cast<std::size_t>(bytes));
          }
      },
      64);
  return rows;
}

// The pixel of x that a tap meets at a pixel of y.
auto met_by(const ConvShape& shape) {
  return [shape](std::int64_t pixel, std::int64_t r, std::int64_t s) -> std::int64_t {
    const std::int64_t line = pixel / shape.q();
    const std::int64_t h = line % shape.p() * shape.stride - shape.padding() + r * shape.dilation;
    const std::int64_t w = pixel % shape.q() * shape.stride - shape.padding() + s * shape.dilation;
    if (h < 0 || h >= shape.h || w < 0 || w >= shape.w) return -1;
    return (line / shape.p() * shape.h + h) * shape.w + w;
  };
}

// The pixel of y at which a tap met a pixel of x.
auto came_from(const ConvShape& shape) {
  return [shape](std::int64_t pixel, std::int64_t r, std::int64_t s) -> std::int64_t {
    const std::int64_t line = pixel / shape.w;
    const std::int64_t h = line % shape.h + shape.padding() - r * shape.dilation;
    const std::int64_t w = pixel % shape.w + shape.padding() - s * shape.dilation;
    if (h < 0 || w < 0 || h % shape.stride != 0 || w % shape.stride != 0) return -1;
    const std::int64_t p = h / shape.stride, q = w / shape.stride;
    if (p >= shape.p() || q >= shape.q()) return -1;
    return (line / shape.h * shape.p() + p) * shape.q() + q;
  };
}

// Calls each(first, count) for as many of `rows` rows as 64 MiB hold.
template <class Each>
void in_parts(std::int64_t rows, std::int64_t row_bytes, const Each& each) {
  const std::int64_t at_once = std::max<std::int64_t>(256, (64 << 20) / row_bytes);
  for (std::int64_t first = 0; first < rows; first += at_once)
    each(first, std::min(at_once, rows - first));
}

// Elements of a matrix as rows of its columns.
HostTensor transposed(const HostTensor& from, std::int64_t first_row, std::int64_t rows,
                      std::int64_t columns) {
  const Dtype dtype = from.what.dtype;
  const auto bytes = static_cast<std::size_t>(bytes_of(dtype));
  HostTensor to = matrix(dtype, columns, rows);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      std::memcpy(
          to.data.data() + static_cast<std::size_t>(column * rows + row) * bytes,
          from.data.data() + static_cast<std::size_t>((first_row + row) * columns + column) * bytes,
          bytes);
  return to;
}

}  // namespace

void conv_reference(const ConvShape& shape, const Inputs& inputs, std::vector<double>& y) {
  const Dtype dtype = inputs[0].what.dtype;
  const std::int64_t c = shape.group_c(), k = shape.group_k(), depth = shape.depth();
  std::vector<double> part;
  for (std::int64_t group = 0; group < shape.groups; ++group) {
    HostTensor filters = matrix(dtype, k, depth);
    const std::int64_t bytes = filters.what.bytes();
    std::memcpy(filters.data.data(), inputs[1].data.data() + group * bytes,
                static_cast<std::size_t>(bytes));
    in_parts(shape.pixels(), depth * bytes_of(dtype), [&](std::int64_t first, std::int64_t count) {
      gemm_reference(gather(shape, inputs[0], {group * c, c}, first, count, met_by(shape)), filters,
                     true, count, k, depth, part);
      for (std::int64_t i = 0; i < count; ++i)
        std::copy_n(part.begin() + i * k, k, y.begin() + (first + i) * shape.k + group * k);
    });
  }
}

// Rows are pixels of dx: what each tap brought, over r, s and k. The filter as (c, (r, s, k)).
void conv_data_reference(const ConvShape& shape, const Inputs& inputs, std::vector<double>& dx) {
  const Dtype dtype = inputs[0].what.dtype;
  const std::int64_t length = shape.taps() * shape.k;
  HostTensor filters = matrix(dtype, shape.c, length);
  const auto bytes = static_cast<std::size_t>(bytes_of(dtype));
  for (std::int64_t k = 0; k < shape.k; ++k)
    for (std::int64_t tap = 0; tap < shape.taps(); ++tap)
      for (std::int64_t c = 0; c < shape.c; ++c)
        std::memcpy(
            filters.data.data() + static_cast<std::size_t>(c * length + tap * shape.k + k) * bytes,
            inputs[1].data.data() +
                static_cast<std::size_t>((k * shape.taps() + tap) * shape.c + c) * bytes,
            bytes);
  std::vector<double> part;
  in_parts(shape.n * shape.h * shape.w, length * bytes_of(dtype),
           [&](std::int64_t first, std::int64_t count) {
             gemm_reference(gather(shape, inputs[0], {0, shape.k}, first, count, came_from(shape)),
                            filters, true, count, shape.c, length, part);
             std::copy(part.begin(), part.end(), dx.begin() + first * shape.c);
           });
}

void conv_weights_reference(const ConvShape& shape, const Inputs& inputs, std::vector<double>& dw) {
  const Dtype dtype = inputs[0].what.dtype;
  std::fill(dw.begin(), dw.end(), 0.0);
  std::vector<double> part;
  in_parts(shape.pixels(), shape.depth() * bytes_of(dtype),
           [&](std::int64_t first, std::int64_t count) {
             gemm_reference(transposed(inputs[0], first, count, shape.k),
                            gather(shape, inputs[1], {0, shape.c}, first, count, met_by(shape)),
                            false, shape.k, shape.depth(), count, part);
             for (std::size_t i = 0; i < part.size(); ++i) dw[i] += part[i];
           });
}

}  // namespace aisp::lab
