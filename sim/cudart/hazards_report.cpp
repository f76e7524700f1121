#include "sim/cudart/hazards_report.hpp"

#include <dlfcn.h>

#include <functional>
#include <utility>

#include "base/refuse.hpp"
#include "sim/cudart/runtime.hpp"
#include "sim/launch/report.hpp"
#include "sim/program/program.hpp"

namespace sim::hazards {
namespace {

using base::say;
using watch::Finding;
using watch::Place;
using watch::Rule;

std::string stream_of(const Operation& operation) {
  const std::string stream =
      operation.default_stream ? "the default stream" : say("stream ", operation.stream);
  const bool several = Runtime::get().model.devices > 1;
  return several ? say(stream, " of device ", operation.device) : stream;
}

std::string full_name(const Operation& operation) {
  return say(operation.what, operation.graph != 0 ? " (graph node)" : "", " in ",
             stream_of(operation));
}

// One side of a conflict.
struct Side {
  const Operation* operation = nullptr;
  bool writes = false;
  std::uint32_t pc = 0;

  const char* verb() const {
    if (operation->kind == Kind::allocate) return "allocates";
    if (operation->kind == Kind::release) return "frees";
    return writes ? "writes" : "reads";
  }
};

std::string address_of(const Memory& memory, std::uint64_t address, std::uint64_t bytes) {
  return say("0x", std::hex, address, std::dec, ", ", bytes, " bytes, ",
             memory.find(address) || memory.was_freed(address) ? memory.describe(address, bytes)
                                                               : "host memory");
}

Place place_of(const Side& side, const std::string& address) {
  const Operation& operation = *side.operation;
  Place place;
  place.what = say(full_name(operation), " ", side.verb());
  place.on_device = operation.kind == Kind::kernel;
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

std::string why_unordered(const Operation& first, const Operation& second) {
  if (first.graph != 0 && first.graph == second.graph)
    return say("no path of dependencies leads from one graph node to the other");
  const bool apart = (first.default_stream && second.non_blocking) ||
                     (second.default_stream && first.non_blocking);
  return say(stream_of(second), " waits for no event that is recorded in ", stream_of(first),
             " after ", first.what, ", and the host does not wait for it before it submits ",
             second.what,
             apart ? "; a stream made with cudaStreamNonBlocking does not synchronise with the "
                     "default stream"
                   : "");
}

std::string fix_unordered(const Operation& first, const Operation& second) {
  if (first.graph != 0 && first.graph == second.graph)
    return "add a dependency between the two nodes (cudaGraphAddDependencies), or, where the graph "
           "is captured, an event that one stream records and the other waits for";
  if (first.stream == second.stream) return "let one of the two come after the other";
  return say("record an event after ", first.what, " in ", stream_of(first), " and let ",
             stream_of(second), " wait for it before ", second.what,
             " (cudaEventRecord, cudaStreamWaitEvent)");
}

Finding unordered(const Side& first, const Side& second) {
  Finding finding;
  const bool frees =
      first.operation->kind == Kind::release || second.operation->kind == Kind::release;
  finding.rule = frees ? Rule::freed_in_stream : Rule::stream_race;
  finding.message = say(full_name(*first.operation), " ", first.verb(), " what ",
                        full_name(*second.operation), " ", second.verb(), ", in no order");
  finding.why = why_unordered(*first.operation, *second.operation);
  finding.fix = fix_unordered(*first.operation, *second.operation);
  return finding;
}

Finding freed(const Side& first, const Side& second) {
  Finding finding;
  finding.rule = Rule::freed_in_stream;
  finding.message = say(full_name(*second.operation), " ", second.verb(), " memory after ",
                        full_name(*first.operation));
  finding.why = say("the memory is given back in ", stream_of(*first.operation), " before ",
                    second.operation->what, " runs; the pool may hand it out again at once");
  finding.fix = say("call cudaFreeAsync after ", second.operation->what,
                    ", in its stream or behind an event of it");
  return finding;
}

Finding early(const Side& first, const Side& second) {
  Finding finding;
  finding.rule = Rule::dependency_wait;
  finding.message = say(full_name(*second.operation), " ", second.verb(), " what ",
                        first.operation->what, " ", first.verb(), " before griddepcontrol.wait");
  finding.why =
      say("it is launched with cudaLaunchAttributeProgrammaticStreamSerialization: it may "
          "start while ",
          first.operation->what, " is running, and what that one wrote may not be visible");
  finding.fix = "call griddepcontrol.wait (cudaGridDependencySynchronize) before the first access";
  return finding;
}

std::uint64_t key_of(const Operation& operation) {
  return std::hash<std::string>()(full_name(operation));
}

}  // namespace

void report(watch::Findings& findings, const Memory& memory, const Conflict& conflict) {
  Side first{conflict.earlier.get(), conflict.earlier_writes, conflict.earlier_pc};
  Side second{conflict.later.get(), conflict.later_writes, conflict.later_pc};
  const bool any_order = conflict.why == Conflict::Why::unordered;
  if (any_order && first.operation->number > second.operation->number) std::swap(first, second);
  Finding finding = any_order                              ? unordered(first, second)
                    : conflict.why == Conflict::Why::freed ? freed(first, second)
                                                           : early(first, second);
  finding.kernel =
      second.operation->kernel.empty() ? first.operation->kernel : second.operation->kernel;
  const std::uint64_t keys[] = {key_of(*first.operation), key_of(*second.operation)};
  if (findings.known(finding.rule, finding.kernel, keys[0], keys[1])) return;
  finding.message += say("; ", conflict.bytes, " bytes");
  const std::string address = address_of(memory, conflict.begin, conflict.end - conflict.begin);
  finding.places = {place_of(first, address), place_of(second, address)};
  findings.add(std::move(finding), keys[0], keys[1]);
}

void report(watch::Findings& findings, const Memory& memory, const Operation& copy,
            const HostTouch& touch) {
  const char* const verb = touch.writes ? "writes" : "reads";
  Finding finding;
  finding.rule = Rule::host_race;
  const std::uint64_t keys[] = {key_of(copy), touch.writes};
  if (findings.known(finding.rule, finding.kernel, keys[0], keys[1])) return;
  finding.message = say("the host ", verb, " memory of a ", full_name(copy), " under way");
  finding.why = "the copy is asynchronous, and the host has not waited for it";
  finding.fix = say("wait before touching the memory: cudaStreamSynchronize for ", stream_of(copy),
                    ", or cudaEventSynchronize for an event recorded after the copy");
  const std::string address =
      say("0x", std::hex, touch.address, std::dec, ", ", memory.describe(touch.address, 1));
  const auto in = [&](const std::vector<watch::TouchedRange>& ranges) {
    for (const watch::TouchedRange& range : ranges)
      if (touch.address >= range.begin && touch.address < range.end) return true;
    return false;
  };
  Place host;
  host.what = say("the host ", verb);
  host.on_device = false;
  host.address = address;
  Dl_info where{};
  if (dladdr(reinterpret_cast<void*>(touch.instruction), &where) != 0 && where.dli_fname != nullptr)
    host.what += say(" at ", where.dli_sname != nullptr ? readable_name(where.dli_sname) : "code",
                     " in ", where.dli_fname, "+0x", std::hex,
                     touch.instruction - reinterpret_cast<std::uint64_t>(where.dli_fbase));
  finding.places = {place_of({&copy, in(copy.touched.writes), 0}, address), std::move(host)};
  findings.add(std::move(finding), keys[0], keys[1]);
}

}  // namespace sim::hazards
