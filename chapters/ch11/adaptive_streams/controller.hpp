// The policy of adaptive_streams: from measured times of chunks to the size of chunks and the
// number of streams. Nothing of CUDA in it: times go in, a setting comes out.
//
// It keeps a small model of each engine and asks what a request would take with each setting.
// Copies take a fixed time, which favours large chunks, and one by their bytes. Kernels take the
// same time however many rows are under way, until the multiprocessors are full: that says how many
// streams are worth it.
#pragma once

#include <cstdint>
#include <vector>

namespace aisp::ch11 {

struct Setting {
  std::int64_t chunk = 0;  // bytes
  int streams = 1;
  bool operator==(const Setting&) const = default;
};

struct Limits {
  std::int64_t least_chunk = 0, most_chunk = 0;  // bytes; sizes between them are doubled ones
  int most_streams = 1;
  std::int64_t memory = 0;  // bytes of the device that all streams' chunks share
};

// All settings within the limits, larger chunks first. At least one: {least_chunk, 1}.
std::vector<Setting> settings_within(const Limits& limits);

// What was measured of one chunk, in microseconds. A step's own time is that since the same step of
// the chunk before it ended, where it had to wait for that.
struct ChunkTimes {
  double bytes = 0;
  double copy_in = 0, copy_out = 0;  // own times
  double kernel = 0;                 // from the copy's end to the kernel's
  double kernel_own = 0;
  int kernels_before = 0;  // that had not ended when this one could begin
};

// Copies: time = fixed + slope * bytes, neither of them negative, fitted to what was seen of late.
class Line {
 public:
  // What is believed at first, and how many observations count.
  Line(double fixed, double slope, double memory)
      : fixed_(fixed), slope_(slope), keep_(1 - 1 / memory) {}

  double at(double bytes) const { return fixed_ + slope_ * bytes; }
  void add(double bytes, double time);

 private:
  void fit();

  double fixed_, slope_, keep_;
  double weight_ = 0, bytes_ = 0, time_ = 0;  // sums
  double squares_ = 0, products_ = 0;
};

// Kernels: each takes its latency, and all together no less than work * bytes.
class KernelModel {
 public:
  double latency() const { return latency_; }
  double work() const { return work_; }  // 0 until there was no room for more
  double alone(double bytes) const;      // one kernel, no other beside it

  void add(const ChunkTimes& times);
  // Whether what is known explains such times, within a factor.
  bool explains(const ChunkTimes& times, double factor) const;
  void forget();

 private:
  std::vector<ChunkTimes> seen_;    // oldest first
  double latency_ = 20, work_ = 0;  // until something was seen
};

class Controller {
 public:
  // `first` is what it says until it was told of a chunk; without one, what it believes is best.
  explicit Controller(const Limits& limits, const Setting& first = {});

  void observe(const ChunkTimes& times);
  // The setting for a request of so many bytes of which so many are left.
  Setting choose(double bytes, double left);
  // Microseconds that such a request is expected to take.
  double predicted(const Setting& setting, double bytes) const;

 private:
  Setting best(double bytes, double least) const;

  std::vector<Setting> settings_;
  Line copy_in_, copy_out_;
  KernelModel kernels_;
  int surprises_ = 0;  // kernels in a row that the model cannot explain
  Setting now_;
  double last_bytes_ = 0;  // of the request that now_ was chosen for
  bool told_ = false;      // of a chunk
  bool current_ = false;   // nothing was observed since
};

}  // namespace aisp::ch11
