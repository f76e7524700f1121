// A convolution or one of its gradients on a device and, element by element against float64, what
// it must be.
#pragma once

#include <limits>

#include "base/refuse.hpp"
#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/device/conv2d/conv2d.hpp"

namespace aisp::conv2d_test {

using gemm_test::require;
using tile::Element;
using tile::device::Conv2dDirection;
using tile::device::Conv2dProblem;
using Rows = gemm_test::Matrix;
using Vector = std::vector<double>;

// Dense rows, and a hundred elements behind them that nobody may write.
inline Rows dense(Element element, std::int64_t rows, std::int64_t columns) {
  return {element, 2, static_cast<int>(rows), static_cast<int>(columns),
          columns, 1, rows * columns + 100};
}

inline std::string text_of(const Conv2dProblem& p) {
  return base::say(name_of(p.direction), ' ', name_of(p.element), ": x ", p.n, 'x', p.h, 'x', p.w,
                   'x', p.c, ", filter ", p.k, 'x', p.r, 'x', p.s, ", stride ", p.stride.h, ' ',
                   p.stride.w, ", padding ", p.padding.h, ' ', p.padding.w, ", dilation ",
                   p.dilation.h, ' ', p.dilation.w, ", groups ", p.groups);
}

// A problem of which nothing is read: all its tensors are the same bytes.
inline Conv2dProblem anywhere(Conv2dProblem problem) {
  static void* const memory = [] {
    void* bytes = nullptr;
    require(cudaMalloc(&bytes, 1 << 16), "cudaMalloc");
    return bytes;
  }();
  problem.x = problem.filter = problem.dy = problem.y = problem.dx = problem.dw = memory;
  return problem;
}

// Ends the program unless the problem, changed so, is refused with these words.
template <class Change>
void refused(Conv2dProblem problem, const std::string& words, const Change& change) {
  change(problem);
  std::string said = "nothing";
  try {
    tile::device::conv2d(problem);
  } catch (const base::Refusal& refusal) {
    said = refusal.what();
    if (refusal.exit() == base::Exit::usage && said.find(words) != std::string::npos) return;
  }
  std::fprintf(stderr, "refused with '%s', without '%s'\n", said.c_str(), words.c_str());
  std::exit(1);
}

// A convolution's tensors in device memory, what is written poisoned; pointers of the shape are not
// looked at.
class Convolution {
 public:
  Convolution(const Conv2dProblem& shape, bool with_bias)
      : problem_(shape),
        x_(dense(element_of(backward_data), shape.n * shape.h * shape.w, shape.c)),
        filter_(dense(element_of(backward_weights), shape.k, shape.r * shape.s * shape.group_c())),
        y_(dense(element_of(forward), shape.pixels(), shape.k)),
        bias_(dense(shape.out, 1, shape.k)) {
    static std::uint64_t seed = 0;
    for (Rows* tensor : {&x_, &filter_, &y_, &bias_}) {
      if (tensor != &written()) tensor->fill(++seed, 1);
      tensor->upload();
    }
    if (with_bias) problem_.bias = bias_.data();
    point();
  }

  const Conv2dProblem& problem() const { return problem_; }

  // NaN in all that one group reads; it is not looked at then, and the others must not notice.
  void poison_group(std::int64_t group) {
    poisoned_ = group;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto& p = problem_;
    const auto columns = [&](Rows& tensor, std::int64_t of_group) {
      if (&tensor == &written()) return;
      for (int row = 0; row < tensor.rows; ++row)
        for (std::int64_t i = 0; i < of_group; ++i)
          tensor.set(0, row, static_cast<int>(group * of_group + i), nan);
      tensor.upload();
    };
    columns(x_, p.group_c());
    columns(y_, p.group_k());
    if (&filter_ != &written()) {
      for (std::int64_t row = group * p.group_k(); row < (group + 1) * p.group_k(); ++row)
        for (int i = 0; i < filter_.columns; ++i) filter_.set(0, static_cast<int>(row), i, nan);
      filter_.upload();
    }
    point();
  }

  // Of a gradient of x: what no tap has met is 0, whatever dy holds.
  void check_unmet(const std::string& recipe) {
    const auto& p = problem_;
    require(cudaDeviceSynchronize(), recipe.c_str());
    x_.download();
    std::vector<bool> has_met(static_cast<std::size_t>(x_.rows));
    for (std::int64_t pixel = 0; pixel < p.pixels(); ++pixel)
      for (std::int64_t tap = 0; tap < p.r * p.s; ++tap)
        if (const std::int64_t to = met(pixel, tap); to >= 0)
          has_met[static_cast<std::size_t>(to)] = true;
    for (int row = 0; row < x_.rows; ++row)
      for (int c = 0; c < x_.columns; ++c) {
        const double is = x_.at(0, row, c);
        if (has_met[static_cast<std::size_t>(row)] ? std::isnan(is) : is == 0) continue;
        std::fprintf(stderr, "%s, %s: pixel %d of dx holds %g\n", recipe.c_str(),
                     text_of(p).c_str(), row, is);
        std::exit(1);
      }
  }

  void check(const std::string& recipe) {
    const std::string what = recipe + ", " + text_of(problem_);
    require(cudaDeviceSynchronize(), what.c_str());
    Rows& got = written();
    got.download();
    for (std::int64_t group = 0; group < problem_.groups; ++group)
      if (group != poisoned_) check_group(what, group, got);
    if (got.gaps_untouched(1)) return;
    std::fprintf(stderr, "%s: wrote behind its output\n", what.c_str());
    std::exit(1);
  }

 private:
  using enum Conv2dDirection;

  Rows& written() {
    return problem_.direction == forward ? y_ : problem_.direction == backward_data ? x_ : filter_;
  }
  Element element_of(Conv2dDirection writes) const {
    return problem_.direction == writes ? problem_.out : problem_.element;
  }
  void point() {
    auto& p = problem_;
    p.x = x_.data(), p.filter = filter_.data(), p.y = y_.data();
    p.dx = x_.data(), p.dw = filter_.data(), p.dy = y_.data();
  }

  // Pixel (n, out) of y meets x at this place with a tap, or nowhere: -1.
  std::int64_t met(std::int64_t pixel, std::int64_t tap) const {
    const auto& p = problem_;
    const std::int64_t n = pixel / p.q() / p.p();
    const std::int64_t h =
        pixel / p.q() % p.p() * p.stride.h - p.padding.h + tap / p.s * p.dilation.h;
    const std::int64_t w = pixel % p.q() * p.stride.w - p.padding.w + tap % p.s * p.dilation.w;
    return h >= 0 && h < p.h && w >= 0 && w < p.w ? (n * p.h + h) * p.w + w : -1;
  }
  static double at(const Rows& tensor, std::int64_t row, std::int64_t column) {
    return row < 0 ? 0 : tensor.at(0, static_cast<int>(row), static_cast<int>(column));
  }

  // Rows and columns of the product of one group, as vectors over its sum. Each tap's channels are
  // filled up to the 32 that an instruction of 8-bit numbers adds at once.
  std::vector<Vector> sums_of_rows(std::int64_t group) const {
    const auto& p = problem_;
    const std::int64_t taps = p.r * p.s, c = p.group_c(), k = p.group_k();
    std::vector<Vector> rows;
    if (p.direction == forward)
      for (std::int64_t pixel = 0; pixel < p.pixels(); ++pixel) {
        rows.emplace_back();
        for (std::int64_t tap = 0; tap < taps; ++tap)
          for (std::int64_t i = 0; i < filled(c); ++i)
            rows.back().push_back(i < c ? at(x_, met(pixel, tap), group * c + i) : 0);
      }
    if (p.direction == backward_data) {
      rows.assign(static_cast<std::size_t>(p.n * p.h * p.w),
                  Vector(static_cast<std::size_t>(taps * k)));
      for (std::int64_t pixel = 0; pixel < p.pixels(); ++pixel)
        for (std::int64_t tap = 0; tap < taps; ++tap)
          if (const std::int64_t to = met(pixel, tap); to >= 0)
            for (std::int64_t i = 0; i < k; ++i)
              rows[static_cast<std::size_t>(to)][static_cast<std::size_t>(tap * k + i)] =
                  at(y_, pixel, group * k + i);
    }
    if (p.direction == backward_weights)
      for (std::int64_t i = 0; i < k; ++i) {
        rows.emplace_back();
        for (std::int64_t pixel = 0; pixel < p.pixels(); ++pixel)
          rows.back().push_back(at(y_, pixel, group * k + i));
      }
    return rows;
  }
  std::vector<Vector> sums_of_columns(std::int64_t group) const {
    const auto& p = problem_;
    const std::int64_t taps = p.r * p.s, c = p.group_c(), k = p.group_k();
    std::vector<Vector> columns;
    if (p.direction == forward)
      for (std::int64_t of = 0; of < k; ++of) {
        columns.emplace_back();
        for (std::int64_t tap = 0; tap < taps; ++tap)
          for (std::int64_t i = 0; i < filled(c); ++i)
            columns.back().push_back(i < c ? at(filter_, group * k + of, tap * c + i) : 0);
      }
    if (p.direction == backward_data)
      for (std::int64_t of = 0; of < c; ++of) {
        columns.emplace_back();
        for (std::int64_t tap = 0; tap < taps; ++tap)
          for (std::int64_t i = 0; i < k; ++i)
            columns.back().push_back(at(filter_, group * k + i, tap * c + of));
      }
    if (p.direction == backward_weights)
      for (std::int64_t of = 0; of < taps * c; ++of) {
        columns.emplace_back();
        for (std::int64_t pixel = 0; pixel < p.pixels(); ++pixel)
          columns.back().push_back(at(x_, met(pixel, of / c), group * c + of % c));
      }
    return columns;
  }
  std::int64_t filled(std::int64_t channels) const {
    return problem_.element == Element::e4m3 ? (channels + 31) / 32 * 32 : channels;
  }

  gemm_test::DotProduct expected(const Vector& row, const Vector& column, double bias) const {
    using namespace gemm_test;
    if (problem_.element == Element::s8) return {dot_product(row, column).value, 0};
    DotProduct sum = problem_.element == Element::e4m3 ? fp8_dot_product(row, column, row.size())
                                                       : dot_product(row, column);
    const double alpha = problem_.alpha;
    sum = {alpha * sum.value + bias, std::abs(alpha) * sum.error};
    sum.error += 0x1p-23 * (std::abs(bias) + std::abs(sum.value));
    return sum;
  }

  void check_group(const std::string& what, std::int64_t group, const Rows& got) const {
    const auto& p = problem_;
    const auto rows = sums_of_rows(group), columns = sums_of_columns(group);
    const bool weights = p.direction == backward_weights;
    const std::int64_t first_row = weights ? group * std::ssize(rows) : 0;
    const std::int64_t first_column = weights ? 0 : group * std::ssize(columns);
    for (std::int64_t i = 0; i < std::ssize(rows); ++i)
      for (std::int64_t j = 0; j < std::ssize(columns); ++j) {
        const double bias = p.bias ? at(bias_, 0, first_column + j) : 0;
        const auto [want, error] =
            expected(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)], bias);
        const double allowed = error + (std::abs(want) + error) * gemm_test::rounding_of(p.out);
        const double is = at(got, first_row + i, first_column + j);
        if (std::abs(is - want) <= allowed) continue;
        std::fprintf(stderr, "%s: element (%d, %d) of group %d is %g, not %g within %g\n",
                     what.c_str(), static_cast<int>(i), static_cast<int>(j),
                     static_cast<int>(group), is, want, allowed);
        std::exit(1);
      }
  }

  Conv2dProblem problem_;
  Rows x_, filter_, y_, bias_;
  std::int64_t poisoned_ = -1;
};

}  // namespace aisp::conv2d_test
