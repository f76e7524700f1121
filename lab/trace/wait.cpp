#include "lab/trace/wait.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

std::string time_text(double nanoseconds) { return base::duration(nanoseconds * 1e-6); }

// The call that kept the host longest from `from` to `to`, or null.
const HostInterval* blocking_call(const Trace& trace, double from, double to) {
  const HostInterval* longest = nullptr;
  double most = 0;
  for (const auto& call : trace.host) {
    if (!call.blocks) continue;
    const double within = std::min(call.end, to) - std::max(call.start, from);
    if (within <= most) continue;
    most = within;
    longest = &call;
  }
  return longest;
}

std::string host_text(const Trace& trace, double idle_since, double enqueued) {
  const std::string late =
      base::say("enqueued it ", time_text(enqueued - idle_since), " into the gap");
  const HostInterval* call = blocking_call(trace, idle_since, enqueued);
  if (call == nullptr) return "the host, which " + late;
  return base::say("the host, held by ", call->name,
                   call->waits_for.empty() ? "" : " for " + call->waits_for, ", which ", late);
}

}  // namespace

std::string waited_for(const Trace& trace, double idle_since, std::size_t place) {
  const TraceInterval& interval = trace.intervals[place];
  if (interval.enqueued && *interval.enqueued > idle_since)
    return host_text(trace, idle_since, *interval.enqueued);
  if (!interval.after) return "nothing that the trace knows of";
  const TraceInterval& before = trace.intervals[*interval.after];
  const std::string what =
      base::say(before.name, " on ", stream_name(trace, before.device, before.stream));
  // Between the end of one and the start of the other the device passes the news on.
  return before.end > idle_since || before.engine == TraceEngine::host
             ? what
             : base::say(what, ", which had ended ", time_text(interval.start - before.end),
                         " earlier");
}

}  // namespace aisp::lab
