#include <cuda_runtime_api.h>

#include <mutex>

#include "lab/profile/cupti.hpp"
#include "lab/trace/activity.hpp"
#include "lab/trace/collector.hpp"

namespace lab {
namespace {

class GpuCollector : public Collector {
 public:
  GpuCollector() : log_(Activities::call_name), ranges_([this] { return activities_->now(); }) {
    activities_ = std::make_unique<Activities>(
        Activities::Options{
            .needed = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                       CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME},
            .wanted = {CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                       CUPTI_ACTIVITY_KIND_CUDA_EVENT},
            .way_out = "leave --trace out"},
        [this](const CUpti_Activity& activity) {
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

std::unique_ptr<Collector> start_gpu_trace() { return std::make_unique<GpuCollector>(); }

std::unique_ptr<Collector> start_trace() {
  return simulator_traces() ? start_simulator_trace() : start_gpu_trace();
}

}  // namespace lab
