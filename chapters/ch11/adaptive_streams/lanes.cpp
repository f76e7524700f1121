#include "chapters/ch11/adaptive_streams/lanes.hpp"

#include <algorithm>

#include "chapters/ch11/adaptive_streams/rows.hpp"
#include "chapters/ch11/common/copies.hpp"

namespace aisp::ch11 {

Lanes::Lanes(lab::Setup& setup, const Limits& limits)
    : memory_(static_cast<char*>(setup.scratch(static_cast<std::size_t>(limits.memory)))) {
  for (int lane = 0; lane < limits.most_streams; ++lane) lanes_.emplace_back(lane);
}

void Lanes::begin_request(cudaStream_t stream) { begin_.record(stream); }

void Lanes::end_request(cudaStream_t stream) {
  for (Lane& lane : lanes_) {
    if (!lane.busy) continue;
    lane.done.record(lane.stream.get());
    lane.done.hold(stream);
    lane.busy = false;
  }
  next_ = 0;
}

void Lanes::use(const Setting& setting) {
  if (setting == setting_) return;
  setting_ = setting;
  next_ = 0;
  for (Lane& lane : lanes_)
    if (lane.busy) lane.done.record(lane.stream.get());
  for (std::size_t i = 0; i < static_cast<std::size_t>(setting.streams); ++i) {
    const std::int64_t first = static_cast<std::int64_t>(i) * setting.chunk;
    for (const Lane& other : lanes_)
      if (other.busy && &other != &lanes_[i] && other.first < first + setting.chunk &&
          first < other.end)
        other.done.hold(lanes_[i].stream.get());
  }
}

// Into the request, with its part of memory.
void Lanes::take(Lane& lane) {
  const std::int64_t first = (&lane - lanes_.data()) * setting_.chunk;
  if (!lane.busy) begin_.hold(lane.stream.get());
  lane.first = lane.busy ? std::min(lane.first, first) : first;
  lane.end = std::max(lane.busy ? lane.end : 0, first + setting_.chunk);
  lane.busy = true;
}

void Lanes::enqueue(const lab::Launch& launch, const Request& rows, ChunkEvents* events) {
  Lane& lane = lanes_[static_cast<std::size_t>(next_)];
  auto* memory = reinterpret_cast<float*>(memory_ + next_ * setting_.chunk);
  next_ = (next_ + 1) % setting_.streams;
  take(lane);
  const cudaStream_t stream = lane.stream.get();
  const bool measured = events != nullptr && events->measured;
  if (measured) events->ready.record(stream);
  copy_in(memory, launch.in<float>(0) + rows.first * row_floats, rows.rows * row_bytes, stream);
  if (measured) events->arrived.record(stream);
  enqueue_rows(memory, rows.rows, rows.steps, stream);
  if (measured) events->computed.record(stream);
  copy_out(launch.out<float>(0) + rows.first * row_floats, memory, rows.rows * row_bytes, stream);
  if (events != nullptr) events->left.record(stream);
}

PhaseClock::PhaseClock(lab::Setup& setup) : moments_(std::make_shared<std::vector<Event>>()) {
  for (int moment = 0; moment <= phase_count; ++moment) moments_->emplace_back(Event::Kind::times);
  for (std::size_t phase = 0; phase < phase_count; ++phase)
    setup.figure(phase_names[phase], "ms", [moments = moments_, phase] {
      return (*moments)[phase + 1].milliseconds_since((*moments)[phase]);
    });
}

void PhaseClock::record(int moment, cudaStream_t stream) const {
  cudaStreamCaptureStatus status{};
  lab::check_cuda(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  // In a graph that is recorded, an event is no more than an edge unless it is asked for its time.
  const bool capturing = status == cudaStreamCaptureStatusActive;
  lab::check_cuda(
      cudaEventRecordWithFlags(moments_->at(static_cast<std::size_t>(moment)).get(), stream,
                               capturing ? cudaEventRecordExternal : cudaEventRecordDefault),
      "cudaEventRecordWithFlags");
}

}  // namespace aisp::ch11
