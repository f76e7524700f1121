// Rung 0: one tensor is permuted in memory, so that the contraction is a plain matrix product of
// the library: the heads before it, or the outer products behind it. Nothing else is moved: what
// already lies as the product wants it, transposed or not, stays.
#include "chapters/ch10/common/plan_workspace.hpp"
#include "chapters/ch10/tensor_contraction/contraction.hpp"
#include "chapters/ch10/tensor_contraction/permute.hpp"
#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"
#include "tile/device/gemm/gemm.hpp"

using namespace aisp;

namespace {

using namespace tile::device;

struct Step {
  GemmProblem product;
  ch10::permute::Shape permuted;  // of A before the product, or of D behind it
};

Step step_of(const lab::Size& size) {
  const auto& d = size.dims;
  const tile::Major k = tile::Major::k, mn = tile::Major::mn;
  GemmProblem product;
  if (size.variant == "heads") {  // (b, h, s, d) becomes (b, s, h, d)
    product = {.m = d[0] * d[2], .n = d[4], .k = d[1] * d[3]};
    product.a = {.stride = product.k, .major = k};
    product.b = {.stride = product.n, .major = mn};
    product.d = {.stride = product.n};
    return {product, {d[0], d[1], d[2], d[3]}};
  }
  product = {.m = d[1] * d[3], .n = d[2] * d[4], .k = d[0]};
  product.a = {.stride = product.m, .major = mn};
  product.b = {.stride = product.n, .major = mn};
  product.d = {.stride = product.n};
  return {product, {d[1], d[3], d[2], d[4]}};  // (i, c, j, d) becomes (i, j, c, d)
}

// On Hopper the recipe that an H200 is fastest with: of the shortest sums the rule takes another,
// whose product of 128 sequences takes 175 us. Elsewhere what the rule takes; what has been tuned
// on this device does not count.
Choice choice_of(const GemmProblem& product) {
  for (const KernelDescription& recipe : gemm_recipes())
    if (recipe.name == "ping_pong_128x128_pair" && runs_on(recipe, current_machine()) &&
        refuses(recipe, product).empty())
      return {recipe.name, estimate(recipe, product, current_machine()).launch};
  return choose(product, current_machine(), gemm_recipes());
}

lab::Run prepare(lab::Setup& setup) {
  const lab::Size size = setup.problem().size;
  const bool heads = size.variant == "heads";
  const Step step = step_of(size);
  const auto& p = step.permuted;
  void* between = setup.scratch(static_cast<std::size_t>(2 * p.outer * p.y * p.z * p.run));
  const auto product = [=](const void* a, const void* b, void* d) {
    GemmProblem one = step.product;
    one.a.data = heads ? between : a;
    one.b.data = b;
    one.d.data = heads ? d : between;
    return one;
  };
  void* stand_in = setup.scratch(256);
  const GemmProblem shape = product(stand_in, stand_in, stand_in);
  const Choice choice = choice_of(shape);
  ch10::PlanWorkspace workspace;
  plan_gemm(shape, choice, workspace.first(ch10::flags_of(setup)));
  return lab::per_buffers([=](const lab::Launch& launch) -> lab::Enqueue {
    const void* a = launch.inputs.at(0);
    void* d = launch.outputs.at(0);
    const auto plan = plan_gemm(product(a, launch.inputs.at(1), d), choice, workspace.again());
    return [=](cudaStream_t stream) {
      if (heads) ch10::permute::enqueue(p, a, between, stream);
      plan.run(stream);
      if (!heads) ch10::permute::enqueue(p, between, d, stream);
    };
  });
}

const lab::RungEntry entry{"ch10:tensor_contraction",
                           {.name = "permute_gemm",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one tensor permuted in memory, and a plain matrix product",
                            .look_at = "two kernels; bytes written and read again between them",
                            .needs = lab::Needs::sm_80,
                            .prepare = prepare}};

}  // namespace
