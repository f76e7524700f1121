// What the rungs of gemm_streams share: device memory for one product, with the product planned for
// it, and the three steps of a product.
#pragma once

#include "chapters/ch11/common/copies.hpp"
#include "lab/case/rung.hpp"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::ch11 {

// Elements of the matrices of one product; all of them are bf16.
struct ProductShape {
  explicit ProductShape(const lab::Problem& problem)
      : m(problem.size.dims.at(1)), n(problem.size.dims.at(2)), k(problem.size.dims.at(3)) {}
  std::int64_t m, n, k;

  std::int64_t a_bytes() const { return 2 * m * k; }
  std::int64_t b_bytes() const { return 2 * n * k; }
  std::int64_t c_bytes() const { return 2 * m * n; }
};

class ProductSlot {
 public:
  explicit ProductSlot(lab::Setup& setup)
      : shape_(setup.problem()),
        a_(take(setup, shape_.a_bytes())),
        b_(take(setup, shape_.b_bytes())),
        c_(take(setup, shape_.c_bytes())),
        plan_(planned(setup)) {}

  // Product number `index` of the launch.
  void load(const lab::Launch& launch, std::int64_t index, cudaStream_t stream) const {
    copy_in(a_, launch.in<char>(0) + index * shape_.a_bytes(), shape_.a_bytes(), stream);
    copy_in(b_, launch.in<char>(1) + index * shape_.b_bytes(), shape_.b_bytes(), stream);
  }
  void multiply(cudaStream_t stream) const {
    const lab::Range range("multiply");
    plan_.run(stream);
  }
  void store(const lab::Launch& launch, std::int64_t index, cudaStream_t stream) const {
    copy_out(launch.out<char>(0) + index * shape_.c_bytes(), c_, shape_.c_bytes(), stream);
  }

 private:
  static char* take(lab::Setup& setup, std::int64_t bytes) {
    return static_cast<char*>(setup.scratch(static_cast<std::size_t>(bytes)));
  }
  tile::device::Plan planned(lab::Setup& setup) const {
    tile::device::GemmProblem problem{.m = shape_.m, .n = shape_.n, .k = shape_.k};
    problem.a = {.data = a_, .stride = shape_.k};
    problem.b = {.data = b_, .stride = shape_.k};
    problem.d = {.data = c_, .stride = shape_.n};
    return plan_gemm(problem, [&](std::size_t bytes) {
      return setup.kept(bytes, "flags of a plan, 0 between launches");
    });
  }

  ProductShape shape_;
  char *a_, *b_, *c_;
  tile::device::Plan plan_;
};

}  // namespace aisp::ch11
