// CUPTI's activity records as a Trace. Kinds that it does not know are passed over.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lab/trace/ranges.hpp"
#include "lab/trace/trace.hpp"

namespace aisp::lab {

class ActivityLog {
 public:
  // `call_name` gives the name of a runtime call.
  explicit ActivityLog(std::function<std::string(CUpti_CallbackId)> call_name)
      : call_name_(std::move(call_name)) {}

  void add(const CUpti_Activity& activity);
  void clear();

  // Of what ended after `begin` on the records' clock, which is the trace's moment 0.
  Trace trace(std::uint64_t begin, const std::vector<LoggedRange>& ranges,
              const std::vector<LoggedMark>& marks, std::vector<StreamName> streams) const;

 private:
  struct Work {
    TraceInterval what;
    std::uint64_t start = 0, end = 0;
  };
  struct Call {
    std::string name;
    std::uint64_t thread = 0, start = 0, end = 0;
  };
  struct EventRecord {  // cudaEventRecord
    int device = 0;
    std::uint64_t stream = 0, correlation = 0;
  };
  struct Synchronization {
    CUpti_ActivitySynchronizationType type{};
    std::uint64_t stream = 0, event = 0;
    std::uint32_t context = 0;
  };

  void add_kernel(const CUpti_ActivityKernel10& kernel);
  void add_copy(const CUpti_ActivityMemcpy6& copy);
  void add_peer_copy(const CUpti_ActivityMemcpyPtoP4& copy);
  void add_fill(const CUpti_ActivityMemset4& fill);
  void add_work(Work work);
  void find_dependencies(Trace& trace) const;
  std::vector<HostInterval> host_intervals(const Trace& trace, std::uint64_t begin,
                                           const std::vector<LoggedRange>& ranges) const;
  int device_of(std::uint32_t context) const;
  std::string waits_for(const Trace& trace, std::uint64_t correlation) const;

  std::function<std::string(CUpti_CallbackId)> call_name_;
  std::vector<Work> work_;
  std::map<std::uint32_t, int> devices_;         // by context
  std::map<std::uint64_t, Call> calls_;          // by correlation: in the order of their calls
  std::map<std::uint64_t, EventRecord> events_;  // by CUPTI's number of the recording
  std::map<std::uint64_t, Synchronization> synchronizations_;  // by correlation
};

}  // namespace aisp::lab
