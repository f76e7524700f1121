// A link, a device and a load in a few dozen lines, whose times are known: what the controller of
// adaptive_streams is tested on.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "chapters/ch11/adaptive_streams/controller.hpp"

namespace aisp::adaptive_model {

using namespace ch11;

inline constexpr double mib = 1 << 20;
inline constexpr Limits limits{
    .least_chunk = 256 << 10, .most_chunk = 16 << 20, .most_streams = 8, .memory = 32 << 20};

// Microseconds and bytes. A copy costs a fixed time and one by its bytes; a kernel takes at least
// `latency`, and all kernels together get through no more than a byte in `work`.
struct Machine {
  double copy_fixed = 3, copy_byte = 1 / 52e3;
  double latency = 5, work = 1 / 1e6;
  double request_fixed = 8;   // to begin and to end one, and
  double stream_fixed = 1.5;  // for each stream that it takes
};

struct Requests {
  int count = 1;
  double bytes = 0;
};

// When chunks pass through lanes that take them in turn, each with one copy in, a kernel and one
// copy out; a copy engine serves one copy at a time.
class Pipeline {
 public:
  explicit Pipeline(const Machine& machine) : machine(machine) {}

  void begin_request() {
    now += machine.request_fixed;
    in_free = out_free = kernels_free = now;
    lanes.assign(limits.most_streams, now);
    kernels.clear();
  }
  void end_request(int streams) {
    now += machine.stream_fixed * std::min(streams, static_cast<int>(kernels.size()));
  }
  ChunkTimes chunk(double bytes, int streams) {
    double& lane = lanes[kernels.size() % static_cast<std::size_t>(streams)];
    const double copy = machine.copy_fixed + bytes * machine.copy_byte;
    const double arrived = std::max(lane, in_free) + copy;
    kernels_free = std::max(kernels_free, arrived) + bytes * machine.work;
    const double computed = std::max(kernels_free, arrived + machine.latency);
    const double left = std::max(computed, out_free) + copy;
    int before = 0;
    double own = computed - arrived;
    for (const double end : kernels)
      if (end > arrived) {
        ++before;
        own = std::min(own, computed - end);
      }
    kernels.push_back(computed);
    in_free = arrived;
    lane = out_free = left;
    now = std::max(now, left);
    return {bytes, copy, copy, computed - arrived, own, before};
  }

  Machine machine;
  double now = 0;

 private:
  double in_free = 0, out_free = 0, kernels_free = 0;
  std::vector<double> lanes;
  std::vector<double> kernels;  // when they ended
};

inline double run_fixed(const Machine& machine, const Requests& requests, const Setting& setting) {
  Pipeline pipeline(machine);
  for (int i = 0; i < requests.count; ++i) {
    pipeline.begin_request();
    for (double left = requests.bytes; left > 0; left -= static_cast<double>(setting.chunk))
      pipeline.chunk(std::min<double>(left, static_cast<double>(setting.chunk)), setting.streams);
    pipeline.end_request(setting.streams);
  }
  return pipeline.now;
}

// As the rung does it: the times of a chunk are known when others are under way already. What a
// change of setting costs on the way, waiting for all that is under way, is charged here.
struct Adaptive {
  Controller controller{limits};
  Setting setting{};
  int changes = 0;
  double noise = 0;  // share by which measured times are off, either way
  std::mt19937 random{1};

  double run(const Machine& machine, const Requests& requests) {
    Pipeline pipeline(machine);
    std::vector<ChunkTimes> under_way;
    for (int i = 0; i < requests.count; ++i) {
      pipeline.begin_request();
      for (double left = requests.bytes; left > 0;) {
        // At most a chunk for each stream and 2 MiB; between requests, the latter alone.
        double room = std::max(2 * mib, static_cast<double>(setting.chunk));
        if (left < requests.bytes)
          room += (setting.streams - 1) * static_cast<double>(setting.chunk);
        for (double bytes = bytes_of(under_way); bytes > room; bytes = bytes_of(under_way)) {
          controller.observe(under_way.front());
          under_way.erase(under_way.begin());
        }
        const Setting next = controller.choose(requests.bytes, left);
        if (next != setting) {
          setting = next;
          ++changes;
          if (left < requests.bytes) {
            pipeline.end_request(setting.streams);
            pipeline.begin_request();
          }
        }
        const double bytes = std::min<double>(left, static_cast<double>(setting.chunk));
        under_way.push_back(noisy(pipeline.chunk(bytes, setting.streams)));
        left -= bytes;
      }
      pipeline.end_request(setting.streams);
    }
    for (const ChunkTimes& times : under_way) controller.observe(times);
    return pipeline.now;
  }

  static double bytes_of(const std::vector<ChunkTimes>& chunks) {
    double bytes = 0;
    for (const ChunkTimes& chunk : chunks) bytes += chunk.bytes;
    return bytes;
  }
  ChunkTimes noisy(ChunkTimes times) {
    std::uniform_real_distribution<double> factor(1 - noise, 1 + noise);
    for (double* time : {&times.copy_in, &times.copy_out, &times.kernel, &times.kernel_own})
      *time *= factor(random);
    return times;
  }
};

inline double best_fixed(const Machine& machine, const Requests& requests) {
  double least = 1e300;
  for (const Setting& setting : settings_within(limits))
    least = std::min(least, run_fixed(machine, requests, setting));
  return least;
}

// What the target's phases are like on an H200, give or take.
struct Phase {
  const char* name;
  Machine machine;
  Requests requests;
};
inline const std::vector<Phase>& phases() {
  static const std::vector<Phase> all{
      {"bulk", {.latency = 5, .work = 1 / 1e6}, {1, 320 * mib}},
      {"requests", {.latency = 6, .work = 1 / 1e6}, {96, 2 * mib}},
      {"deep", {.latency = 330, .work = 1 / 26e3}, {12, 16 * mib}},
      {"bulk again", {.latency = 5, .work = 1 / 1e6}, {1, 320 * mib}},
  };
  return all;
}

}  // namespace aisp::adaptive_model
