#include "chapters/ch10/gpudirect_storage/batches.hpp"

#include <utility>

#include "lab/case/range.hpp"

namespace aisp::ch10 {

BatchProducts::BatchProducts(lab::Setup& setup, Place place)
    : shape_(setup.problem().size), place_(std::move(place)) {
  const auto memory = const_cast<char*>(place_(0));  // a stand-in: nothing runs
  plan_gemm(product(0, memory, memory), workspace_.first(flags_of(setup)));
}

tile::device::GemmProblem BatchProducts::product(std::int64_t batch, const void* weights,
                                                 char* results) const {
  tile::device::GemmProblem problem{.m = shape_.rows, .n = shape_.n, .k = shape_.k};
  problem.a = {.data = place_(batch), .stride = shape_.k};
  problem.b = {.data = weights, .stride = shape_.k};
  problem.d = {.data = results + batch * shape_.product_bytes(), .stride = shape_.n};
  return problem;
}

void BatchProducts::plan(const lab::Launch& launch) {
  auto& plans = plans_[launch.outputs.at(0)];
  for (auto batch = static_cast<std::int64_t>(plans.size()); batch < shape_.count; ++batch)
    plans.push_back(
        plan_gemm(product(batch, launch.inputs.at(1), launch.out<char>(0)), workspace_.again()));
}

void BatchProducts::multiply(const lab::Launch& launch, std::int64_t batch) const {
  const lab::Range range("multiply");
  plans_.at(launch.outputs.at(0)).at(static_cast<std::size_t>(batch)).run(launch.stream);
}

}  // namespace aisp::ch10
