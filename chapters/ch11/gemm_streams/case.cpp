// gemm_streams: products whose matrices lie in pinned host memory and whose results go back there.
// To bring two matrices takes far longer than to multiply them: the link is the bound.
#include "base/refuse.hpp"
#include "lab/case/references.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

// Matrix `index` of a tensor of several.
lab::HostTensor matrix(const lab::HostTensor& all, std::int64_t index) {
  lab::HostTensor one;
  one.what = all.what;
  one.what.shape.erase(one.what.shape.begin());
  const auto bytes = one.what.bytes();
  one.data.assign(all.data.begin() + index * bytes, all.data.begin() + (index + 1) * bytes);
  return one;
}

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto& a = inputs.at(0).what.shape;
  const std::int64_t m = a.at(1), n = inputs.at(1).what.shape.at(1), k = a.at(2);
  std::vector<double> product;
  for (std::int64_t i = 0; i < a.at(0); ++i) {
    lab::gemm_reference(matrix(inputs[0], i), matrix(inputs[1], i), true, m, n, k, product);
    std::copy(product.begin(), product.end(), expected.at(0).begin() + i * m * n);
  }
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t count = size.dims.at(0), most = 4096;
  if (count < 1 || count > most)
    base::refuse(base::Exit::usage, "gemm_streams takes 1 to ", most, " products: got ", count,
                 "; use for example 16x2048x2048x2048");
  const lab::Size one{size.variant, {size.dims.at(1), size.dims.at(2), size.dims.at(3)}};
  lab::Problem problem =
      lab::gemm_problem("gemm_streams", one, lab::gemm_types("bf16"), lab::GemmB::nk);
  const auto in_host_memory = [&](lab::Tensor& tensor) {
    tensor.shape.insert(tensor.shape.begin(), count);
    tensor.memory = lab::Memory::pinned;
  };
  for (auto& input : problem.inputs) in_host_memory(input);
  for (auto& output : problem.outputs) in_host_memory(output.tensor);
  problem.size = size;
  problem.flops *= static_cast<double>(count);
  problem.bytes = lab::bytes_once(problem);
  problem.to_host = static_cast<double>(problem.outputs[0].tensor.bytes());
  problem.to_device = problem.bytes - problem.to_host;
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch11";
  target.name = "gemm_streams";
  target.idea = "matrices come and results go while others are multiplied";
  target.shows_in = lab::Count::overlap;
  target.axes = {"products", "M", "N", "K"};
  target.variants = {""};
  target.full = {{"", {16, 2048, 2048, 2048}}};
  // More than two laps of the ring, no whole tiles; and fewer products than slots.
  target.quick = {{"", {7, 70, 136, 72}}, {"", {2, 200, 64, 40}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
