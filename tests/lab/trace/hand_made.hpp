// CUPTI's records, made by hand as CUDA 13.0 lays them out.
#pragma once

#include <string>
#include <vector>

#include "lab/trace/activity.hpp"

namespace aisp::lab {

inline constexpr std::uint64_t trace_begin =
    1'700'000'000'000'000'000;  // a double would lose its last digits

inline std::string call_name(CUpti_CallbackId id) {
  return id == 1 ? "cudaLaunchKernel" : id == 2 ? "cudaStreamSynchronize" : "cudaMemcpyAsync";
}

struct HandMadeLog : ActivityLog {
  HandMadeLog() : ActivityLog(call_name) {}

  template <class R>
  void put(const R& record) {
    add(reinterpret_cast<const CUpti_Activity&>(record));
  }
  void call(CUpti_CallbackId id, std::uint32_t correlation, std::uint64_t start, std::uint64_t end,
            std::uint32_t thread = 77) {
    put(CUpti_ActivityAPI{.kind = CUPTI_ACTIVITY_KIND_RUNTIME,
                          .cbid = id,
                          .start = trace_begin + start,
                          .end = trace_begin + end,
                          .threadId = thread,
                          .correlationId = correlation});
  }
  void kernel(std::uint32_t stream, std::uint32_t correlation, std::uint64_t start,
              std::uint64_t end) {
    CUpti_ActivityKernel10 record{};
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record.contextId = 1;
    record.streamId = stream;
    record.correlationId = correlation;
    record.name = "_ZN4ch115scaleILi4EEEvPf";
    record.start = trace_begin + start;
    record.end = trace_begin + end;
    put(record);
  }
  void copy(std::uint8_t kind, std::uint32_t stream, std::uint32_t correlation, std::uint64_t start,
            std::uint64_t end) {
    CUpti_ActivityMemcpy6 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    record.copyKind = kind;
    record.bytes = 8 << 20;
    record.contextId = 1;
    record.streamId = stream;
    record.correlationId = correlation;
    record.start = trace_begin + start;
    record.end = trace_begin + end;
    put(record);
  }
  void event(std::uint32_t stream, std::uint32_t correlation, std::uint64_t number) {
    CUpti_ActivityCudaEvent2 record{};
    record.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
    record.contextId = 1;
    record.streamId = stream;
    record.correlationId = correlation;
    record.cudaEventSyncId = number;
    put(record);
  }
  void synchronization(CUpti_ActivitySynchronizationType type, std::uint32_t correlation,
                       std::uint32_t stream, std::uint64_t number = 0) {
    CUpti_ActivitySynchronization2 record{};
    record.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
    record.type = type;
    record.contextId = 1;
    record.correlationId = correlation;
    record.streamId = stream;
    record.cudaEventSyncId = number;
    put(record);
  }
  Trace made(const std::vector<LoggedRange>& ranges = {}) const {
    return trace(trace_begin, ranges, {}, {{0, 13, "copies"}, {0, 14, "math"}});
  }
};

}  // namespace aisp::lab
