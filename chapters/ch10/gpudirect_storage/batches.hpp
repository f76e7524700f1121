// What the file of gpudirect_storage holds and what becomes of it: batches of bf16, one behind the
// other, each multiplied by the same weights as soon as it is on the device, as a training loop
// does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "chapters/ch10/common/plan_workspace.hpp"
#include "lab/case/rung.hpp"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::ch10 {

// Of one batch: (rows, k) times the weights (n, k) gives (rows, n), all of them bf16.
struct BatchShape {
  explicit BatchShape(const lab::Size& size)
      : count(size.dims.at(0)), rows(size.dims.at(1)), n(size.dims.at(2)), k(size.dims.at(3)) {}
  std::int64_t count, rows, n, k;

  std::int64_t bytes() const { return 2 * rows * k; }
  std::int64_t product_bytes() const { return 2 * rows * n; }
};

// The products of all batches of a launch, planned before anything is timed.
class BatchProducts {
 public:
  // Where a batch lies in device memory when it is multiplied.
  using Place = std::function<const char*(std::int64_t batch)>;

  BatchProducts(lab::Setup& setup, Place place);

  // Not timed: makes the plans for the launch's weights and results.
  void plan(const lab::Launch& launch);
  // Enqueues the product of one batch on the launch's stream.
  void multiply(const lab::Launch& launch, std::int64_t batch) const;

 private:
  tile::device::GemmProblem product(std::int64_t batch, const void* weights, char* results) const;

  BatchShape shape_;
  Place place_;
  PlanWorkspace workspace_;  // of all plans: they run one after another
  std::map<const void*, std::vector<tile::device::Plan>> plans_;  // by the results' address
};

}  // namespace aisp::ch10
