#include "sim/watch/host/host_report.hpp"

#include <dlfcn.h>

#include <functional>
#include <utility>

#include "base/refuse.hpp"
#include "sim/machine/names.hpp"
#include "sim/program/program.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

std::string full_name(const StreamOperation& operation) {
  return say(operation.what, operation.graph != 0 ? " (graph node)" : "", " in ",
             operation.stream_name);
}

// One side of a conflict.
struct Side {
  const StreamOperation* operation = nullptr;
  bool writes = false;
  std::uint32_t pc = 0;

  const char* verb() const {
    if (operation->kind == OperationKind::allocate) return "allocates";
    if (operation->kind == OperationKind::release) return "frees";
    return writes ? "writes" : "reads";
  }
};

std::string address_of(const Memory& memory, std::uint64_t address, std::uint64_t bytes) {
  return say("0x", std::hex, address, std::dec, ", ", bytes, " bytes, ",
             memory.find(address) || memory.was_freed(address) ? memory.describe(address, bytes)
                                                               : "host memory");
}

FindingPlace place_of(const Side& side, const std::string& address) {
  const StreamOperation& operation = *side.operation;
  FindingPlace place;
  place.what = say(full_name(operation), " ", side.verb());
  place.on_device = operation.kind == OperationKind::kernel;
  place.address = address;
  const Program* program = operation.program;
  if (!place.on_device || program == nullptr || side.pc >= program->sources.size()) return place;
  const OpSource& source = program->sources[side.pc];
  place.ptx_line = source.ptx_line;
  place.ptx = std::string(program->line_text(source.ptx_line));
  if (const auto begin = place.ptx.find_first_not_of(" \t"); begin != std::string::npos)
    place.ptx.erase(0, begin);
  if (source.line > 0 && source.file >= 0 &&
      static_cast<std::size_t>(source.file) < program->files.size()) {
    place.file = program->files[static_cast<std::size_t>(source.file)];
    place.line = source.line;
  }
  return place;
}

std::string why_unordered(const StreamOperation& first, const StreamOperation& second) {
  if (first.graph != 0 && first.graph == second.graph)
    return say("no path of dependencies leads from one graph node to the other");
  const bool apart = (first.default_stream && second.non_blocking) ||
                     (second.default_stream && first.non_blocking);
  return say(second.stream_name, " waits for no event that is recorded in ", first.stream_name,
             " after ", first.what, ", and the host does not wait for it before it submits ",
             second.what,
             apart ? "; a stream made with cudaStreamNonBlocking does not synchronise with the "
                     "default stream"
                   : "");
}

std::string fix_unordered(const StreamOperation& first, const StreamOperation& second) {
  if (first.graph != 0 && first.graph == second.graph)
    return "add a dependency between the two nodes (cudaGraphAddDependencies), or, where the graph "
           "is captured, an event that one stream records and the other waits for";
  if (first.stream == second.stream) return "let one of the two come after the other";
  return say("record an event after ", first.what, " in ", first.stream_name, " and let ",
             second.stream_name, " wait for it before ", second.what,
             " (cudaEventRecord, cudaStreamWaitEvent)");
}

Finding unordered(const Side& first, const Side& second) {
  Finding finding;
  const bool frees = first.operation->kind == OperationKind::release ||
                     second.operation->kind == OperationKind::release;
  finding.rule = frees ? HazardRule::freed_in_stream : HazardRule::stream_race;
  finding.message = say(full_name(*first.operation), " ", first.verb(), " what ",
                        full_name(*second.operation), " ", second.verb(), ", in no order");
  finding.why = why_unordered(*first.operation, *second.operation);
  finding.fix = fix_unordered(*first.operation, *second.operation);
  return finding;
}

Finding freed(const Side& first, const Side& second) {
  Finding finding;
  finding.rule = HazardRule::freed_in_stream;
  finding.message = say(full_name(*second.operation), " ", second.verb(), " memory after ",
                        full_name(*first.operation));
  finding.why = say("the memory is given back in ", first.operation->stream_name, " before ",
                    second.operation->what, " runs; the pool may hand it out again at once");
  finding.fix = say("call cudaFreeAsync after ", second.operation->what,
                    ", in its stream or behind an event of it");
  return finding;
}

Finding early(const Side& first, const Side& second, bool has_ended) {
  Finding finding;
  finding.rule = has_ended ? HazardRule::dependency_wait_order : HazardRule::dependency_wait;
  finding.message = say(full_name(*second.operation), " ", second.verb(), " what ",
                        first.operation->what, " ", first.verb(), " before griddepcontrol.wait");
  finding.why =
      has_ended
          ? say("no block of ", first.operation->what,
                " executes griddepcontrol.launch_dependents, so all of them end before this "
                "one starts; but only griddepcontrol.wait makes what they wrote visible")
          : say("it is launched with cudaLaunchAttributeProgrammaticStreamSerialization: it "
                "may start while ",
                first.operation->what, " is running, and what that one wrote may not be visible");
  finding.fix = "call griddepcontrol.wait (cudaGridDependencySynchronize) before the first access";
  return finding;
}

std::uint64_t key_of(const StreamOperation& operation) {
  return std::hash<std::string>()(full_name(operation));
}

// What the operation does at an address that it touches.
Side side_at(const StreamOperation& operation, std::uint64_t address) {
  for (const bool writes : {true, false})
    for (const TouchedRange& range : writes ? operation.touched.writes : operation.touched.reads)
      if (address >= range.begin && address < range.end) return {&operation, writes, range.pc};
  return {&operation, false, 0};
}

std::string caller_of(const HostTouch& touch) {
  Dl_info where{};
  if (dladdr(reinterpret_cast<void*>(touch.instruction), &where) == 0 || where.dli_fname == nullptr)
    return "";
  return say(" at ", where.dli_sname != nullptr ? shown_name(where.dli_sname) : "code", " in ",
             where.dli_fname, "+0x", std::hex,
             touch.instruction - reinterpret_cast<std::uint64_t>(where.dli_fbase));
}

}  // namespace

FindingNumber report_conflict(Findings& findings, const Memory& memory, const Conflict& conflict) {
  Side first{conflict.earlier.get(), conflict.earlier_writes, conflict.earlier_pc};
  Side second{conflict.later.get(), conflict.later_writes, conflict.later_pc};
  const bool any_order = conflict.why == Conflict::Why::unordered;
  if (any_order && first.operation->number > second.operation->number) std::swap(first, second);
  const auto finding_of = [&] {
    switch (conflict.why) {
      case Conflict::Why::unordered:
        return unordered(first, second);
      case Conflict::Why::freed:
        return freed(first, second);
      case Conflict::Why::early:
      case Conflict::Why::ended:
        break;
    }
    return early(first, second, conflict.why == Conflict::Why::ended);
  };
  Finding finding = finding_of();
  finding.kernel =
      second.operation->kernel.empty() ? first.operation->kernel : second.operation->kernel;
  const std::uint64_t keys[] = {key_of(*first.operation), key_of(*second.operation)};
  if (findings.known(finding.rule, finding.kernel, keys[0], keys[1]))
    return findings.number_of(finding.rule, finding.kernel, keys[0], keys[1]);
  if (conflict.bytes != 0) finding.message += say("; ", conflict.bytes, " bytes");
  const std::string address = address_of(memory, conflict.begin, conflict.end - conflict.begin);
  finding.places = {place_of(first, address), place_of(second, address)};
  return findings.add(std::move(finding), keys[0], keys[1]);
}

void report_host_touch(Findings& findings, const Memory& memory, const StreamOperation& operation,
                       const HostTouch& touch) {
  const char* const verb = touch.writes ? "writes" : "reads";
  Finding finding;
  finding.rule = HazardRule::host_race;
  finding.kernel = operation.kernel;
  const std::uint64_t keys[] = {key_of(operation), touch.writes};
  if (findings.known(finding.rule, finding.kernel, keys[0], keys[1])) return;
  const char* const kind = operation.kind == OperationKind::kernel ? "kernel"
                           : operation.kind == OperationKind::fill ? "fill"
                                                                   : "copy";
  const char* const article = operation.kind == OperationKind::kernel ? "" : "a ";
  finding.message =
      say("the host ", verb, " memory of ", article, full_name(operation), " under way");
  finding.why = say("the ", kind, " is asynchronous, and the host has not waited for it");
  finding.fix =
      say("wait before touching the memory: cudaStreamSynchronize for ", operation.stream_name,
          ", or cudaEventSynchronize for an event recorded after the ", kind);
  const std::string address =
      say("0x", std::hex, touch.address, std::dec, ", ", memory.describe(touch.address, 1));
  FindingPlace host;
  host.what = say("the host ", verb, caller_of(touch));
  host.on_device = false;
  host.address = address;
  finding.places = {place_of(side_at(operation, touch.address), address), std::move(host)};
  findings.add(std::move(finding), keys[0], keys[1]);
}

void report_function_touch(Findings& findings, const Memory& memory,
                           const StreamOperationPtr& operation, const StreamOperationPtr& function,
                           const HostTouch& touch) {
  const Side other = side_at(*operation, touch.address);
  report_conflict(findings, memory,
                  {.why = Conflict::Why::unordered,
                   .earlier = operation,
                   .later = function,
                   .earlier_writes = other.writes,
                   .later_writes = touch.writes,
                   .earlier_pc = other.pc,
                   .begin = touch.address,
                   .end = touch.address + 1,
                   .bytes = 0});
}

}  // namespace aisp::sim::watch
