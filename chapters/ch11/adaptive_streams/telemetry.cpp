#include "chapters/ch11/adaptive_streams/telemetry.hpp"

#include <algorithm>

namespace aisp::ch11 {
namespace {

// Enqueued beyond what the streams hold: so many bytes, but at least one chunk and at most eight.
constexpr std::int64_t lead = 2 << 20;
constexpr int most_streams = 8, most_lead = 8;

// Kernels that may have run beside one another.
constexpr std::size_t neighbours = most_streams;

// So many chunks in a row are measured, the first of a request and then the first of every so many.
constexpr std::int64_t measured_in_a_row = 16, measured_every = 128;

}  // namespace

Telemetry::Telemetry() {
  for (int i = 0; i < most_streams + most_lead; ++i) events_.emplace_back();
}

void Telemetry::begin_run(cudaStream_t stream) {
  under_way_.clear();
  earlier_.clear();
  bytes_under_way_ = 0;
  origin_.record(stream);
}

void Telemetry::begin_request(bool measured) {
  in_request_ = 0;
  measured_ = measured;
}

ChunkEvents* Telemetry::next(std::int64_t bytes) {
  ChunkEvents& events = events_[next_];
  next_ = (next_ + 1) % events_.size();
  const std::int64_t in_row = in_request_ % measured_every;
  if (in_row == 0) ++row_;
  events.measured = measured_ && in_row < measured_in_a_row;
  // Before the first chunk of a request there is none, before that of a later row there are some
  // that nobody has measured.
  const bool neighbours_known =
      in_request_ == in_row || in_row >= static_cast<std::int64_t>(neighbours);
  under_way_.push_back({&events, bytes, row_, neighbours_known});
  ++in_request_;
  bytes_under_way_ += bytes;
  return &events;
}

void Telemetry::collect(Controller& controller, const Setting& setting, bool in_request) {
  const std::int64_t room = (in_request ? setting.streams * setting.chunk : 0) +
                            std::clamp(lead, setting.chunk, most_lead * setting.chunk);
  // The second: after a change to larger chunks, many small ones may be under way.
  const auto full = [&] {
    return bytes_under_way_ > room - (in_request ? setting.chunk : 0) ||
           under_way_.size() == events_.size();
  };
  while (take_oldest(controller) || full()) {
  }
}

bool Telemetry::take_oldest(Controller& controller) {
  if (under_way_.empty()) return false;
  const Chunk chunk = under_way_.front();
  const auto answer = cudaEventQuery(chunk.events->left.get());
  if (answer == cudaErrorNotReady) return false;
  lab::check_cuda(answer, "cudaEventQuery");
  under_way_.pop_front();
  bytes_under_way_ -= chunk.bytes;
  if (!chunk.events->measured) return true;
  if (chunk.row != earlier_row_) earlier_.clear();
  earlier_row_ = chunk.row;
  const ChunkEvents& events = *chunk.events;
  const Moments now{moment(events.ready), moment(events.arrived), moment(events.computed),
                    moment(events.left), static_cast<double>(chunk.bytes)};
  if (chunk.neighbours) controller.observe(times_of(now));
  earlier_.push_back(now);
  if (earlier_.size() > neighbours) earlier_.pop_front();
  return true;
}

ChunkTimes Telemetry::times_of(const Moments& now) const {
  double in_since = now.ready, out_since = now.computed, kernel_since = now.arrived;
  int kernels_before = 0;
  for (const Moments& before : earlier_) {
    if (before.arrived < now.arrived) in_since = std::max(in_since, before.arrived);
    if (before.left < now.left) out_since = std::max(out_since, before.left);
    if (before.computed <= now.arrived) continue;
    ++kernels_before;
    if (before.computed < now.computed) kernel_since = std::max(kernel_since, before.computed);
  }
  constexpr double least = 0.1;  // events tell times apart by about half a microsecond
  return {.bytes = now.bytes,
          .copy_in = std::max(least, now.arrived - in_since),
          .copy_out = std::max(least, now.left - out_since),
          .kernel = std::max(least, now.computed - now.arrived),
          .kernel_own = std::max(least, now.computed - kernel_since),
          .kernels_before = kernels_before};
}

}  // namespace aisp::ch11
