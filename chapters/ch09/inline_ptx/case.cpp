// inline_ptx: every bit of an array flipped. Nothing but memory traffic, so that what a load or
// store instruction is worth shows in the time; exact, so that a lost byte shows in the check.
#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto x = inputs.at(0).as<std::int32_t>();
  auto& y = expected.at(0);
  base::parallel_ranges(static_cast<std::int64_t>(y.size()),
                        [&](std::int64_t i, std::int64_t last) {
                          for (; i < last; ++i)
                            y[i] = -1.0 - x[i];  // two's complement: ~x == -x - 1
                        });
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t bytes = size.dims.at(0);
  if (bytes < 16 || bytes % 16 != 0)
    base::refuse(base::Exit::usage,
                 "inline_ptx: bytes must be a multiple of 16 for 16-byte accesses: got ", bytes,
                 "; use ", bytes < 16 ? 16 : bytes / 16 * 16);
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"x", lab::Dtype::i32, {bytes / 4}, {-2147483648.0, 2147483647.0}}};
  problem.outputs = {{{"y", lab::Dtype::i32, {bytes / 4}, {}}, {}}};  // exact
  problem.bytes = 2.0 * static_cast<double>(bytes);
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch09";
  target.name = "inline_ptx";
  target.idea = "instructions the compiler does not choose, wrapped safely per architecture";
  target.shows_nowhere = "how caches treat what is read once";
  target.aliases = {{"inline_ptx_example", ""}};
  target.axes = {"bytes"};
  target.variants = {""};
  target.full = {{"", {std::int64_t{1} << 28}}};
  // 128 chunks of 16 KiB and a ragged one: 24 blocks on 8 multiprocessors go round the ring of four
  // stages more than once.
  target.quick = {{"", {128 * 16384 + 1040}}, {"", {48}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
