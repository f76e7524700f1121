// adaptive_streams: a load whose phases want different chunks and different numbers of streams.
// Rows of floats come from pinned host memory, are worked on and go back there.
#include <algorithm>

#include "base/host/every_cpu.hpp"
#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch11/adaptive_streams/load.hpp"
#include "chapters/ch11/adaptive_streams/rows.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

using ch11::LoadSize;
using ch11::row_floats;

using Vector = double __attribute__((vector_size(64)));
constexpr std::int64_t lanes = 8, vectors = row_floats / lanes, chains = 4;
struct alignas(64) Row {
  double values[row_floats];
};

AISP_ON_EVERY_CPU void relax_row(const Row& x, Row& row, int steps) {
  const auto* drive = reinterpret_cast<const Vector*>(x.values);
  auto* y = reinterpret_cast<Vector*>(row.values);
  for (std::int64_t i = 0; i < vectors; ++i) y[i] = Vector{};
  for (int step = 0; step < steps; ++step) {
    Vector sums[chains] = {};
    for (std::int64_t i = 0; i < vectors; ++i) sums[i % chains] += y[i];
    const Vector sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    double pull = 0;
    for (std::int64_t lane = 0; lane < lanes; ++lane) pull += sum[lane];
    pull *= ch11::coupling / row_floats;
    for (std::int64_t i = 0; i < vectors; ++i) {
      const Vector driven = drive[i] + pull;
      ch11::relax_reference_step(y[i], driven, 1 + ch11::coupling);
    }
  }
}

void reference(const LoadSize& size, const lab::Inputs& inputs,
               std::vector<std::vector<double>>& expected) {
  std::vector<int> steps(static_cast<std::size_t>(size.rows));
  for (const auto& phase : ch11::phases_of(size))
    for (const auto& request : phase)
      std::fill_n(steps.begin() + request.first, request.rows, request.steps);
  const auto x = inputs.at(0).as<float>();
  // Rows in turn, so that every core has its share of each phase.
  const std::int64_t shares = std::min<std::int64_t>(size.rows, 64);
  base::parallel_ranges(
      shares,
      [&](std::int64_t share, std::int64_t last) {
        std::vector<Row> rows(2);  // x and y
        for (; share < last; ++share)
          for (std::int64_t row = share; row < size.rows; row += shares) {
            std::copy_n(x.begin() + row * row_floats, row_floats, rows[0].values);
            relax_row(rows[0], rows[1], steps[static_cast<std::size_t>(row)]);
            std::copy_n(rows[1].values, row_floats, expected.at(0).begin() + row * row_floats);
          }
      },
      1);
}

void refuse_bad_size(const LoadSize& size) {
  constexpr std::int64_t most_rows = 1 << 20, most_steps = 1 << 16;
  if (size.rows < ch11::least_rows || size.rows > most_rows)
    base::refuse(base::Exit::usage, "adaptive_streams takes ", ch11::least_rows, " to ", most_rows,
                 " rows of 64 KiB: got ", size.rows, "; use for example 16384, 1 GiB");
  if (size.deep_steps < 1 || size.deep_steps > most_steps)
    base::refuse(base::Exit::usage, "adaptive_streams takes 1 to ", most_steps,
                 " steps for its deep phase: got ", size.deep_steps, "; use for example 512");
  const ch11::Limits limits = ch11::limits_of(size);
  if (size.chunk < ch11::row_bytes || size.chunk % ch11::row_bytes != 0)
    base::refuse(base::Exit::usage,
                 "adaptive_streams takes chunks of whole rows, 64 KiB each: got ", size.chunk >> 10,
                 " KiB; use for example 4096");
  if (size.streams < 1 || size.streams > limits.most_streams ||
      size.streams * size.chunk > limits.memory)
    base::refuse(base::Exit::usage, "adaptive_streams takes 1 to ", limits.most_streams,
                 " streams that have ", limits.memory >> 10, " KiB together: got ", size.streams,
                 " of ", size.chunk >> 10, " KiB; use for example 2 of ", limits.most_chunk >> 10);
}

double flops_of(const LoadSize& size) {
  double flops = 0;
  for (const auto& phase : ch11::phases_of(size))
    for (const auto& request : phase)
      flops += ch11::row_flops * static_cast<double>(request.rows * row_floats) * request.steps;
  return flops;
}

lab::Problem problem(const lab::Size& size) {
  const LoadSize load(size);
  refuse_bad_size(load);
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{.name = "x",
                     .dtype = lab::Dtype::f32,
                     .shape = {load.rows, row_floats},
                     .memory = lab::Memory::pinned}};
  // The bound of relax_tolerance holds here too: the pull of the mean is 1/2 of 0.69 at most, a
  // step still brings rows closer together by relax_rate, and what the sum of a row is off by, 17
  // roundings at most, counts relax_rate times the coupling.
  const std::int64_t most_steps = std::max<std::int64_t>(load.deep_steps, ch11::request_steps);
  problem.outputs = {{.tensor = {.name = "y",
                                 .dtype = lab::Dtype::f32,
                                 .shape = {load.rows, row_floats},
                                 .memory = lab::Memory::pinned},
                      .tolerance = ch11::relax_tolerance(most_steps)}};
  problem.to_device = problem.to_host = static_cast<double>(problem.inputs[0].bytes());
  problem.bytes = lab::bytes_once(problem);
  problem.flops = flops_of(load);
  problem.unit = lab::Unit::fma_f32;
  problem.reference = [load](const lab::Inputs& inputs,
                             std::vector<std::vector<double>>& expected) {
    reference(load, inputs, expected);
  };
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch11";
  target.name = "adaptive_streams";
  target.idea = "chunk size and stream count that follow what is measured while the load runs";
  target.shows_nowhere = "the speeds of copies and kernels, which it measures and follows";
  // Chunk (KiB) and streams are the setting of the rung `fixed`, and what the controller begins
  // with: a sweep over them is the grid that it is compared with.
  target.axes = {"rows", "steps", "chunk", "streams"};
  target.variants = {""};
  target.full = {{"", {16384, 512, 4096, 4}}};  // 1 GiB
  // Requests of three rows and a shorter one, chunks that do not divide them; and a setting that
  // the controller changes while the first request runs.
  target.quick = {{"", {67, 10, 128, 3}}, {"", {67, 6, 64, 3}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
