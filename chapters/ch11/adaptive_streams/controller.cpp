#include "chapters/ch11/adaptive_streams/controller.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace aisp::ch11 {
namespace {

// Believed until something was measured: a link of 50 GB/s, 4 us to start a copy.
constexpr double first_fixed = 4, first_slope = 1 / 50e3;
constexpr double copy_memory = 32;  // observations
constexpr std::size_t kernel_memory = 32;

// One slow copy is a hiccup: it counts as no more than this many times what was expected.
constexpr double hiccup = 3;
// A kernel's time that is off by more than this has another reason than the setting. Two in a row,
// and the load is another one.
constexpr double surprise = 1.5;
constexpr int surprises_that_count = 2;

// So much longer than its latency a kernel takes only where others are in its way.
constexpr double crowded = 1.5;
// And where they got done in so much less, the work was less than was believed.
constexpr double clearly_less = 0.8;

// What it costs to send a request over one more stream and to collect it again.
constexpr double stream_cost = 1.5;
// A change must be worth more than what the model is off by.
constexpr double worth_a_change = 0.03;
// A difference that is no reason to prefer one setting.
constexpr double as_good = 0.02;
// A request that is so much larger or smaller is of another kind: nothing speaks for the setting
// of the one before.
constexpr double another_kind = 1.5;

bool within(double value, double of, double factor) {
  return value <= of * factor && value * factor >= of;
}

}  // namespace

std::vector<Setting> settings_within(const Limits& limits) {
  std::vector<Setting> settings;
  for (std::int64_t chunk = limits.least_chunk; chunk <= limits.most_chunk; chunk *= 2)
    for (int streams = 1; streams <= limits.most_streams; ++streams)
      if (streams * chunk <= limits.memory) settings.push_back({chunk, streams});
  std::reverse(settings.begin(), settings.end());
  if (settings.empty()) settings.push_back({limits.least_chunk, 1});
  return settings;
}

void Line::add(double bytes, double time) {
  for (double* sum : {&weight_, &bytes_, &time_, &squares_, &products_}) *sum *= keep_;
  weight_ += 1;
  bytes_ += bytes;
  time_ += time;
  squares_ += bytes * bytes;
  products_ += bytes * time;
  fit();
}

void Line::fit() {
  const double bytes = bytes_ / weight_, time = time_ / weight_;
  const double spread = squares_ / weight_ - bytes * bytes;
  if (spread < 0.01 * bytes * bytes) {
    // Seen in one place only: the line is moved there as it is.
    const double ratio = time / std::max(at(bytes), 1e-9);
    fixed_ *= ratio;
    slope_ *= ratio;
    return;
  }
  const double slope = (products_ / weight_ - bytes * time) / spread;
  slope_ = std::clamp(slope, 0.0, time / bytes);
  fixed_ = time - slope_ * bytes;
}

double KernelModel::alone(double bytes) const { return std::max(latency_, work_ * bytes); }

void KernelModel::add(const ChunkTimes& times) {
  if (seen_.size() == kernel_memory) seen_.erase(seen_.begin());
  seen_.push_back(times);
  latency_ = times.kernel;
  for (const ChunkTimes& seen : seen_) latency_ = std::min(latency_, seen.kernel);
  // Kernels that took much longer than one can had to wait for multiprocessors: then the time from
  // one's end to the next one's is work. Where there was room, that is more than the work.
  double crowded_bytes = 0, crowded_time = 0, bytes = 0, time = 0;
  for (const ChunkTimes& seen : seen_) {
    if (seen.kernels_before == 0) continue;
    bytes += seen.bytes;
    time += seen.kernel_own;
    if (seen.kernel < crowded * latency_) continue;
    crowded_bytes += seen.bytes;
    crowded_time += seen.kernel_own;
  }
  if (crowded_bytes > 0)
    work_ = crowded_time / crowded_bytes;
  else if (time < clearly_less * work_ * bytes)
    work_ = time / bytes;
}

bool KernelModel::explains(const ChunkTimes& times, double factor) const {
  if (seen_.empty()) return false;
  const double least = alone(times.bytes), most = least * (1 + times.kernels_before);
  return times.kernel * factor >= least && times.kernel <= most * factor;
}

void KernelModel::forget() {
  seen_.clear();
  work_ = 0;
}

Controller::Controller(const Limits& limits, const Setting& first)
    : settings_(settings_within(limits)),
      copy_in_(first_fixed, first_slope, copy_memory),
      copy_out_(first_fixed, first_slope, copy_memory),
      now_(first) {}

void Controller::observe(const ChunkTimes& times) {
  current_ = false;
  told_ = true;
  for (const auto& [line, time] :
       {std::pair{&copy_in_, times.copy_in}, {&copy_out_, times.copy_out}})
    line->add(times.bytes, std::min(time, hiccup * line->at(times.bytes)));
  if (kernels_.explains(times, surprise)) {
    surprises_ = 0;
  } else if (++surprises_ < surprises_that_count) {
    return;
  } else {
    surprises_ = 0;
    kernels_.forget();
  }
  kernels_.add(times);
}

double Controller::predicted(const Setting& setting, double bytes) const {
  const double chunk = std::min(static_cast<double>(setting.chunk), bytes);
  const double chunks = std::ceil(bytes / chunk);
  const double streams = std::min<double>(setting.streams, chunks);
  const double in = copy_in_.at(chunk), out = copy_out_.at(chunk);
  const double kernel = kernels_.alone(chunk);
  // A stream goes through its three steps before it comes round again, and each direction of the
  // link has one copy at a time: the later of the two is when the last chunk comes. Multiprocessors
  // that are full have work without a gap from the first chunk's arrival on.
  const double copy = std::max(in, out), rounds = std::ceil(chunks / streams) - 1;
  const double last = std::max(
      (chunks - 1) * copy, rounds * (in + kernel + out) + (chunks - 1 - rounds * streams) * copy);
  const double inside = std::max(last + kernel, kernels_.work() * bytes);
  return in + inside + out + stream_cost * streams;
}

// Of settings that are as good, the one with the most streams that have something to do: it copes
// best with kernels that take longer than those seen so far.
Setting Controller::best(double bytes, double least) const {
  Setting best{0, 0};
  double time = 0;
  for (const Setting& setting : settings_) {
    const double now = predicted(setting, bytes);
    const bool idle = (setting.streams - 1) * static_cast<double>(setting.chunk) >= bytes;
    if (now > (1 + as_good) * least || (idle && setting.streams > 1)) continue;
    if (setting.streams > best.streams || (setting.streams == best.streams && now < time)) {
      best = setting;
      time = now;
    }
  }
  return best;
}

Setting Controller::choose(double bytes, double left) {
  if (current_ && bytes == last_bytes_) return now_;
  double least = predicted(settings_.front(), bytes);
  for (const Setting& setting : settings_) least = std::min(least, predicted(setting, bytes));
  if (!told_ && now_.chunk > 0) {
    // As it is.
  } else if (!within(bytes, last_bytes_, another_kind)) {
    now_ = best(bytes, least);
  } else {
    // In the middle of a request, what is under way leaves before the new chunks come.
    const double cost = left < bytes ? predicted(now_, static_cast<double>(now_.chunk)) : 0;
    const double gain = predicted(now_, bytes) - least;
    if (gain > worth_a_change * least && gain * left / bytes > cost) now_ = best(bytes, least);
  }
  last_bytes_ = bytes;
  current_ = true;
  return now_;
}

}  // namespace aisp::ch11
