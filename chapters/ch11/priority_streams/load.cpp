#include "chapters/ch11/priority_streams/load.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "chapters/ch11/priority_streams/latencies.hpp"
#include "chapters/ch11/priority_streams/requests.hpp"

namespace aisp::ch11 {
namespace {

using Clock = std::chrono::steady_clock;

// The requests come evenly over this part of the time that the bulk work takes by itself: it has to
// outlast them.
constexpr double busy_part = 0.9;

// c (m, n) = a (m, k) times the transpose of b (n, k), by a kernel whose blocks have one tile each
// and end with it: at such an end a waiting block of another kernel can come in.
tile::device::Plan plan_product(const lab::Launch& launch, int which) {
  const std::int64_t m = launch.dim(0), n = launch.dim(1), k = launch.dim(2);
  const tile::device::GemmProblem product{.m = m,
                                          .n = n,
                                          .k = k,
                                          .a = {.data = launch.in<void>(which), .stride = k},
                                          .b = {.data = launch.in<void>(2), .stride = k},
                                          .d = {.data = launch.out<void>(which), .stride = n}};
  constexpr int rows_of_tiles = 8;  // that are walked together, for the caches
  return plan_gemm(
      product, {.recipe = "multistage_128x128", .launch = {.raster = {.group = rows_of_tiles}}});
}

}  // namespace

Load::Load(const lab::Problem& problem, bool simulated, Priorities priorities)
    : simulated_(simulated),
      products_(problem.size.dims.at(3)),
      requests_(problem.size.dims.at(4)),
      bulk_("bulk", bulk_streams, priorities.bulk),
      request_streams_("requests", request_streams, priorities.requests),
      clock_("clock", 1, priorities.requests) {
  for (std::int64_t i = 0; i < requests_; ++i) {
    sent_.emplace_back(Event::Kind::times);
    answered_.emplace_back(Event::Kind::times);
  }
}

const Load::Plans& Load::plans_for(const lab::Launch& launch) {
  auto [at, first] = plans_.try_emplace(launch.outputs);
  if (first)
    for (int which = 0; which < bulk_streams; ++which)
      at->second.push_back(plan_product(launch, which));
  return at->second;
}

void Load::enqueue_bulk(const lab::Launch& launch) {
  const lab::Range range("bulk");
  const Plans& plans = plans_for(launch);
  bulk_begin_.record(launch.stream);
  bulk_.fork(launch.stream);
  for (std::int64_t i = 0; i < products_; ++i) {
    const int which = static_cast<int>(i % bulk_streams);
    plans[static_cast<std::size_t>(which)].run(bulk_[which]);
  }
}

void Load::before(const lab::Launch& launch) {
  plans_for(launch);
  if (bulk_alone_ms_) return;
  for (int warm = 0; warm < (simulated_ ? 1 : 2); ++warm) {
    enqueue_bulk(launch);
    bulk_.join(launch.stream);
    bulk_end_.record(launch.stream);
    lab::check_cuda(cudaStreamSynchronize(launch.stream), "bulk work by itself");
  }
  bulk_alone_ms_ = bulk_ms();
}

void Load::send_requests(const lab::Launch& launch) {
  // The simulator's clock does not move with the host's: there the requests come all at once.
  const std::chrono::duration<double, std::milli> interval{
      simulated_ ? 0.0 : busy_part * bulk_alone_ms() / static_cast<double>(requests_)};
  const auto begin = Clock::now();
  for (std::int64_t i = 0; i < requests_; ++i) {
    while (Clock::now() < begin + interval * static_cast<double>(i)) {
    }
    const lab::Range range("request");
    const cudaStream_t stream = request_streams_[static_cast<int>(i % request_streams)];
    const auto index = static_cast<std::size_t>(i);
    sent_[index].record(clock_[0]);
    enqueue_request(launch.in<float>(3), launch.in<float>(4) + i * request_columns,
                    launch.out<float>(bulk_streams) + i * request_rows, stream);
    answered_[index].record(stream);
  }
}

void Load::run(const lab::Launch& launch) {
  request_streams_.fork(launch.stream);
  enqueue_bulk(launch);
  send_requests(launch);
  bulk_.join(launch.stream);
  bulk_end_.record(launch.stream);
  request_streams_.join(launch.stream);
  clock_.join(launch.stream);
}

std::vector<double> Load::latencies_ms() const {
  std::vector<double> latencies;
  for (std::size_t i = 0; i < sent_.size(); ++i)
    latencies.push_back(answered_[i].milliseconds_since(sent_[i]));
  return latencies;
}

double Load::under_load() const {
  const auto in_time = std::count_if(
      answered_.begin(), answered_.end(),
      [&](const Event& answered) { return bulk_end_.milliseconds_since(answered) >= 0; });
  return 100.0 * static_cast<double>(in_time) / static_cast<double>(answered_.size());
}

lab::Run prepare_load(lab::Setup& setup, Priorities priorities) {
  const auto load = std::make_shared<Load>(setup.problem(), setup.simulated(), priorities);
  setup.before_each_run([load](const lab::Launch& launch) { load->before(launch); });
  setup.own_time([load] { return percentile(load->latencies_ms(), 0.99); });
  setup.figure("p50", "us", [load] { return 1e3 * percentile(load->latencies_ms(), 0.5); });
  setup.figure("p99", "us", [load] { return 1e3 * percentile(load->latencies_ms(), 0.99); });
  setup.figure("bulk", "ms", [load] { return load->bulk_ms(); });
  setup.figure("bulk alone", "ms", [load] { return load->bulk_alone_ms(); });
  setup.figure("requests under load", "%", [load] { return load->under_load(); });
  return [load](const lab::Launch& launch) { load->run(launch); };
}

}  // namespace aisp::ch11
