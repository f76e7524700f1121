// streams: 1 GiB of floats comes from pinned host memory, is worked on and goes back there. Two
// directions of the host's link and the multiprocessors could be busy at the same time.
#include "base/host/every_cpu.hpp"
#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch11/streams/relax.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

using ch11::stream_steps;

// Eight values at a time, four times over: chains that do not wait for one another.
using Vector = double __attribute__((vector_size(64)));
constexpr std::int64_t lanes = 8, chains = 4;

AISP_ON_EVERY_CPU void relax_block(const double* x, double* result) {
  Vector drive[chains], y[chains] = {};
  for (std::int64_t i = 0; i < chains * lanes; ++i) drive[i / lanes][i % lanes] = x[i];
  for (int step = 0; step < stream_steps; ++step)
    for (int chain = 0; chain < chains; ++chain)
      ch11::relax_reference_step(y[chain], drive[chain], 1.0);
  for (std::int64_t i = 0; i < chains * lanes; ++i) result[i] = y[i / lanes][i % lanes];
}

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto x = inputs.at(0).as<float>();
  auto& y = expected.at(0);
  const auto count = static_cast<std::int64_t>(x.size());
  constexpr std::int64_t block = chains * lanes;
  base::parallel_ranges((count + block - 1) / block,
                        [&](std::int64_t at, std::int64_t last) {
                          for (; at < last; ++at) {
                            const std::int64_t first = at * block,
                                               size = std::min(block, count - first);
                            double drive[block] = {}, result[block];
                            std::copy_n(x.begin() + first, size, drive);
                            relax_block(drive, result);
                            std::copy_n(result, size, y.begin() + first);
                          }
                        },
                        64);
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t count = size.dims.at(0);
  constexpr std::int64_t most = std::int64_t{1} << 34;
  if (count < 1 || count > most)
    base::refuse(base::Exit::usage, "streams: N is a number of floats, 1 to ", most, ": got ",
                 count, "; use for example 268435456, 1 GiB");
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {
      {.name = "x", .dtype = lab::Dtype::f32, .shape = {count}, .memory = lab::Memory::pinned}};
  problem.outputs = {{.tensor = {.name = "y",
                                 .dtype = lab::Dtype::f32,
                                 .shape = {count},
                                 .memory = lab::Memory::pinned},
                      .tolerance = ch11::relax_tolerance(stream_steps)}};
  problem.to_device = problem.to_host = 4.0 * static_cast<double>(count);
  problem.bytes = lab::bytes_once(problem);
  problem.flops = ch11::relax_flops * stream_steps * static_cast<double>(count);
  problem.unit = lab::Unit::fma_f32;
  problem.reference = reference;
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch11";
  target.name = "streams";
  target.idea = "copies in, work and copies out of different chunks at the same time";
  target.shows_nowhere = "how long the link takes for a chunk, which is not simulated";
  target.aliases = {{"streams_overlap_demo", ""}};
  target.axes = {"N"};
  target.variants = {""};
  target.full = {{"", {std::int64_t{1} << 28}}};  // 1 GiB
  // About thirty chunks, one of them ragged; and less than one.
  target.quick = {{"", {30011}}, {"", {5}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
