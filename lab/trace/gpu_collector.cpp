#include <cuda_runtime_api.h>

#include <mutex>

#include "lab/profile/cupti.hpp"
#include "lab/trace/activity.hpp"
#include "lab/trace/collector.hpp"

namespace aisp::lab {
namespace {

class GpuCollector : public Collector {
 public:
  explicit GpuCollector(Detail detail)
      : log_(Activities::call_name),
        ranges_([this] { return activities_->now(); },
                detail == Detail::everything ? Heard::everything : Heard::storage) {
    activities_ =
        std::make_unique<Activities>(kinds(detail), [this](const CUpti_Activity& activity) {
          const std::lock_guard lock(mutex_);
          log_.add(activity);
        });
    begin_ = activities_->now();
    before_ = set_range_sink(&ranges_);
  }
  ~GpuCollector() override {
    set_range_sink(before_);
    activities_.reset();
  }

  void restart() override {
    activities_->flush();
    {
      const std::lock_guard lock(mutex_);
      log_.clear();
    }
    ranges_.clear();
    begin_ = activities_->now();
  }

  Trace trace() override {
    activities_->flush();
    auto names = stream_names();  // calls CUDA, which may make CUPTI hand records over
    const std::lock_guard lock(mutex_);
    return log_.trace(begin_, ranges_.ranges(), ranges_.marks(), std::move(names));
  }

 private:
  static Activities::Options kinds(Detail detail) {
    Activities::Options options{.needed = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                           CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET},
                                .wanted = {CUPTI_ACTIVITY_KIND_MEMCPY2},
                                .way_out = "leave --trace out"};
    if (detail == Detail::work) return options;
    options.needed.push_back(CUPTI_ACTIVITY_KIND_RUNTIME);
    options.wanted.push_back(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
    options.wanted.push_back(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
    return options;
  }

  std::vector<StreamName> stream_names() const {
    std::vector<StreamName> names;
    for (const auto& [stream, name] : named_streams()) {
      int device = 0;
      if (cudaStreamGetDevice(stream, &device) != cudaSuccess) cudaGetLastError();
      if (const auto id = activities_->stream_id(stream); id != 0)
        names.push_back({device, id, name});
    }
    return names;
  }

  std::mutex mutex_;  // of the log: CUPTI may hand records over on a thread of its own
  ActivityLog log_;
  RangeLog ranges_;
  std::unique_ptr<Activities> activities_;
  RangeSink* before_ = nullptr;
  std::uint64_t begin_ = 0;
};

}  // namespace

std::unique_ptr<Collector> start_gpu_trace(Detail detail) {
  return std::make_unique<GpuCollector>(detail);
}

std::unique_ptr<Collector> start_trace(Detail detail) {
  return simulator_traces() ? start_simulator_trace() : start_gpu_trace(detail);
}

}  // namespace aisp::lab
