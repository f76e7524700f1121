// priority_streams: large products that fill the device for a while, and small requests that come
// in meanwhile. What counts is how long a request takes from being sent to being answered.
#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch11/priority_streams/requests.hpp"
#include "lab/case/references.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

using namespace ch11;

void answer_all(const lab::HostTensor& weights, const lab::HostTensor& vectors,
                std::vector<double>& y) {
  const auto w = weights.as<float>(), x = vectors.as<float>();
  base::parallel_ranges(
      static_cast<std::int64_t>(y.size()), [&](std::int64_t i, std::int64_t last) {
        for (; i < last; ++i) {
          const auto row = static_cast<std::size_t>(i % request_rows * request_columns);
          const auto vector = static_cast<std::size_t>(i / request_rows * request_columns);
          double sum = 0;
          for (std::size_t j = 0; j < request_columns; ++j)
            sum += double{w[row + j]} * x[vector + j];
          y[static_cast<std::size_t>(i)] = sum;
        }
      });
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t m = size.dims.at(0), n = size.dims.at(1), k = size.dims.at(2);
  const std::int64_t products = size.dims.at(3), requests = size.dims.at(4);
  lab::refuse_bad_extents("priority_streams", m, n, k, lab::Dtype::bf16);
  constexpr std::int64_t most = 1 << 16;
  if (products < 2 || products > most || requests < 1 || requests > most)
    base::refuse(base::Exit::usage, "priority_streams takes 2 to ", most, " products and 1 to ",
                 most, " requests: got ", products, " and ", requests,
                 "; use for example 8192x4096x512x1000x1000");
  const auto types = lab::gemm_types("bf16");
  const lab::Tolerance of_product = lab::accumulation(types.out, k, 1.0 / 3, types.accumulator);
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"a0", lab::Dtype::bf16, {m, k}, {-1.0, 1.0}},
                    {"a1", lab::Dtype::bf16, {m, k}, {-1.0, 1.0}},
                    {"b", lab::Dtype::bf16, {n, k}, {-1.0, 1.0}},
                    {"w", lab::Dtype::f32, {request_rows, request_columns}, {-1.0, 1.0}},
                    {"x", lab::Dtype::f32, {requests, request_columns}, {-1.0, 1.0}}};
  problem.outputs = {{{"c0", lab::Dtype::bf16, {m, n}, {}}, of_product},
                     {{"c1", lab::Dtype::bf16, {m, n}, {}}, of_product},
                     {{"y", lab::Dtype::f32, {requests, request_rows}, {}},
                      lab::accumulation(lab::Dtype::f32, request_columns, 1.0 / 3)}};
  // What is timed is one request, so these are its own.
  problem.flops = 2.0 * request_rows * request_columns;
  problem.bytes = 4.0 * (request_rows * request_columns + request_columns + request_rows);
  problem.reference = [m, n, k](const lab::Inputs& inputs,
                                std::vector<std::vector<double>>& expected) {
    lab::gemm_reference(inputs[0], inputs[2], true, m, n, k, expected[0]);
    lab::gemm_reference(inputs[1], inputs[2], true, m, n, k, expected[1]);
    answer_all(inputs[3], inputs[4], expected[2]);
  };
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch11";
  target.name = "priority_streams";
  target.idea = "stream priorities keep small work from waiting behind bulk work";
  target.timed = "p99 latency of a small kernel";
  target.shows_nowhere = "which of two waiting kernels a full device takes first";
  target.axes = {"M", "N", "K", "products", "requests"};
  target.variants = {""};
  target.full = {{"", {8192, 4096, 512, 1000, 1000}}};
  target.quick = {{"", {150, 136, 40, 5, 10}}};  // tiles beyond both edges, streams that come round
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
