// gpudirect_storage: a file of batches in bf16; each is multiplied by the same weights. The input
// that the lab draws is written to a file before a run is timed; a run gets nothing but the file.
#include "base/refuse.hpp"
#include "chapters/ch10/gpudirect_storage/batches.hpp"
#include "chapters/ch10/gpudirect_storage/file.hpp"
#include "lab/case/references.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

// The weights are the same for all batches: their rows are those of one product.
void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto& batches = inputs.at(0).what.shape;
  const std::int64_t n = inputs.at(1).what.shape.at(0);
  lab::gemm_reference(inputs[0], inputs[1], true, batches.at(0) * batches.at(1), n, batches.at(2),
                      expected.at(0));
}

void refuse_unless_whole_pages(const ch10::BatchShape& shape) {
  constexpr std::int64_t most = 1 << 16;
  if (shape.count < 1 || shape.count > most || shape.rows < 1 || shape.k < 1)
    base::refuse(base::Exit::usage, "gpudirect_storage takes 1 to ", most,
                 " batches of at least one row: got ", shape.count, " of ", shape.rows, 'x',
                 shape.k, "; use for example 128x2048x256x2048");
  if (shape.bytes() % ch10::page_bytes != 0)
    base::refuse(
        base::Exit::usage, "gpudirect_storage: a batch must be whole pages of ", ch10::page_bytes,
        " bytes, so that it can be read past the page cache: M x K = ", shape.rows, 'x', shape.k,
        " in bf16 are ", shape.bytes(), "; use for example M = ", ch10::round_up(shape.rows, 2048));
}

lab::Problem problem(const lab::Size& size) {
  const ch10::BatchShape shape(size);
  refuse_unless_whole_pages(shape);
  lab::Problem problem =
      lab::gemm_problem("gpudirect_storage", {size.variant, {shape.rows, shape.n, shape.k}},
                        lab::gemm_types("bf16"), lab::GemmB::nk);
  problem.size = size;
  for (auto* each : {&problem.inputs.at(0), &problem.outputs.at(0).tensor})
    each->shape.insert(each->shape.begin(), shape.count);
  problem.inputs[0].name = "batches";
  problem.inputs[1].name = "weights";
  problem.flops *= static_cast<double>(shape.count);
  problem.bytes = lab::bytes_once(problem);
  problem.to_device = static_cast<double>(problem.inputs[0].bytes());  // the file's
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "gpudirect_storage";
  target.idea = "batches are read from a file while those before are copied and multiplied";
  target.shows_in = lab::Count::overlap;  // of copies and products: the disk is not simulated
  target.aliases = {{"cufile_gds_example", ""}, {"demo_both_examples", ""}};
  target.axes = {"batches", "M", "N", "K"};
  target.variants = {""};
  target.full = {{"", {128, 2048, 256, 2048}}};  // 1 GiB: what takes time is the float64 reference
  // More than two laps of every ring, no whole tiles; fewer batches than slots, more than a tile.
  target.quick = {{"", {37, 24, 72, 256}}, {"", {2, 144, 40, 128}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
