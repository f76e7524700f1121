// One product by the Blackwell kernel: any recipe, planned and launched as a user's would be, its
// operands and its poisoned output at hand for a check.
#pragma once

#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/device/gemm/plan_sm100.cuh"

namespace aisp::gemm_test {

template <class Recipe>
class Tcgen05Product {
 public:
  explicit Tcgen05Product(Size size)
      : a(matrix(config.a, config.a_major, size.batch, size.m, size.k)),
        b(matrix(config.b, config.b_major, size.batch, size.n, size.k)),
        d(matrix(config.out, Major::k, size.batch, size.m, size.n)),
        size(size) {
    a.fill(11, size.batch);
    b.fill(12, size.batch);
    for (Matrix* matrix : {&a, &b, &d}) matrix->upload();
  }

  // Twice, so that a second launch finds tensor memory as the first has left it.
  void run(const char* what, const typename Recipe::Tree::Params& tree = {},
           const tile::device::LaunchChoice& choice = {}) {
    const auto launch = tile::device::plan<Recipe>(problem(), tree, choice);
    launch(nullptr);
    launch(nullptr);
    require(cudaDeviceSynchronize(), what);
    d.download();
  }

  tile::device::GemmProblem problem() const {
    return {.m = size.m,
            .n = size.n,
            .k = size.k,
            .batch = size.batch,
            .a = view(a, config.a_major),
            .b = view(b, config.b_major),
            .c = {},
            .d = view(d, Major::k)};
  }

  Matrix a, b, d;
  Size size;

 private:
  static constexpr tile::Sm100Config config = Recipe::config;

  static Matrix matrix(Element element, Major major, int batch, int rows, int columns) {
    const int line = padded_line(major == Major::k ? columns : rows, element);
    return Matrix::of_lines(element, major, batch, rows, columns, line);
  }
  static tile::device::Matrix view(const Matrix& matrix, Major major) {
    return {.data = matrix.data(),
            .element = matrix.element,
            .stride = major == Major::k ? matrix.row_stride : matrix.column_stride,
            .major = major,
            .batch_stride = matrix.batch_stride};
  }
};

}  // namespace aisp::gemm_test
