// The fields of every record by name, listed once: the writer and the reader in records.cpp walk
// the same list, so the two directions cannot drift apart. Nothing else includes this but its test.
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include "lab/record/records.hpp"

namespace aisp::lab {

template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

// visit(name, value): always written, required when read.
// visit.maybe(name, value): left out when empty, empty when absent.
void fields(auto& visit, Is<EntryPlan> auto& r) {
  visit("entry", r.entry);
  visit("target", r.target);
  visit.maybe("variant", r.variant);
  visit("dims", r.dims);
  visit("rungs", r.rungs);
  visit.maybe("at", r.at);
}

void fields(auto& visit, Is<Module> auto& r) {
  visit("name", r.name);
  visit("file", r.file);
  visit("folder", r.folder);
  visit("digest", r.digest);
}

void fields(auto& visit, Is<RunHeader> auto& r) {
  visit("schema", r.schema);
  visit("id", r.id);
  visit("started", r.started);
  visit("version", r.version);
  visit("commit", r.commit);
  visit("command", r.command);
  visit("timer", r.timer);
  visit("l2", r.l2);
  visit("seed", r.seed);
  visit("iterations", r.iterations);
  visit("warmup", r.warmup);
  visit("profile", r.profile);
  visit("validate", r.validate);
  visit("time_limit", r.time_limit);
  visit("self_check", r.self_check);
  visit("plan", r.plan);
  visit.maybe("trace", r.trace);
  visit.maybe("modules", r.modules);
  visit.maybe("sweep", r.sweep);
}

void fields(auto& visit, Is<RoofRecord> auto& r) {
  visit("name", r.name);
  visit("rate", r.rate);
  visit("operations", r.operations);
}

void fields(auto& visit, Is<DeviceRecord> auto& r) {
  visit("hardware", r.hardware);
  visit("name", r.name);
  visit("driver", r.driver);
  visit("runtime", r.runtime);
  visit("uuid", r.uuid);
  visit("multiprocessors", r.multiprocessors);
  visit("major", r.major);
  visit("minor", r.minor);
  visit("l2_bytes", r.l2_bytes);
  visit("memory_bytes", r.memory_bytes);
  visit("simulated", r.simulated);
  visit.maybe("simulated_devices", r.simulated_devices);
  visit.maybe("host", r.host);
  visit.maybe("system", r.system);
  visit.maybe("processor", r.processor);
  visit.maybe("roofs", r.roofs);
}

void fields(auto& visit, Is<AttemptRecord> auto& r) {
  visit("entry", r.entry);
  visit("attempt", r.attempt);
  visit("rungs", r.rungs);
  visit("flops", r.flops);
  visit("bytes", r.bytes);
  visit.maybe("unit", r.unit);
}

void fields(auto& visit, Is<CheckRecord> auto& r) {
  visit("entry", r.entry);
  visit("rung", r.rung);
  visit("when", r.when);
  visit("attempt", r.attempt);
  visit("seed", r.seed);
  visit.maybe("set", r.set);
  visit("right", r.right);
  visit("elements", r.elements);
  visit("wrong", r.wrong);
  visit("worst_ulp", r.worst_ulp);
  visit("relative_norm", r.relative_norm);
  visit.maybe("report", r.report);
}

void fields(auto& visit, Is<SampleRecord> auto& r) {
  visit("entry", r.entry);
  visit("rung", r.rung);
  visit("attempt", r.attempt);
  visit("index", r.index);
  visit("ms", r.ms);
  visit.maybe("sm_mhz", r.sm_mhz);
  visit.maybe("watts", r.watts);
  visit.maybe("celsius", r.celsius);
  visit.maybe("host_ms", r.host_ms);
  visit.maybe("throttle", r.throttle);
}

void fields(auto& visit, Is<CounterRecord> auto& r) {
  visit("counter", r.counter);
  visit("value", r.value);
}

void fields(auto& visit, Is<ShareRecord> auto& r) {
  visit("name", r.name);
  visit("percent", r.percent);
}

void fields(auto& visit, Is<LineRecord> auto& r) {
  visit("file", r.file);
  visit("line", r.line);
  visit.maybe("text", r.text);
  visit("percent", r.percent);
  visit.maybe("stall", r.stall);
}

void fields(auto& visit, Is<KernelRecord> auto& r) {
  visit("name", r.name);
  visit("grid", r.grid);
  visit("block", r.block);
  visit("registers", r.registers);
  visit("static_shared", r.static_shared);
  visit("dynamic_shared", r.dynamic_shared);
  visit("local_bytes", r.local_bytes);
  visit("us", r.us);
  visit.maybe("counters", r.counters);
  visit.maybe("pipes", r.pipes);
  visit.maybe("stalls", r.stalls);
  visit.maybe("lines", r.lines);
  visit.maybe("limit", r.limit);
}

void fields(auto& visit, Is<ProfileRecord> auto& r) {
  visit("entry", r.entry);
  visit("rung", r.rung);
  visit("attempt", r.attempt);
  visit("kernels", r.kernels);
  visit.maybe("by", r.by);
  visit.maybe("bound", r.bound);
  visit.maybe("problem", r.problem);
  visit.maybe("file", r.file);
  visit.maybe("counters", r.counters);
}

void fields(auto& visit, Is<EngineRecord> auto& r) {
  visit("engine", r.engine);
  visit("us", r.us);
  visit("intervals", r.intervals);
}

void fields(auto& visit, Is<OverlapRecord> auto& r) {
  visit("device", r.device);
  visit("window_us", r.window_us);
  visit("engines", r.engines);
  visit("overlapped_us", r.overlapped_us);
  visit("engines_overlapped_us", r.engines_overlapped_us);
  visit("most_at_once", r.most_at_once);
  visit("idle_us", r.idle_us);
  visit("gaps", r.gaps);
  visit("longest_gap_us", r.longest_gap_us);
  visit.maybe("ended_by", r.ended_by);
  visit.maybe("waited_for", r.waited_for);
}

void fields(auto& visit, Is<GapRecord> auto& r) {
  visit("device", r.device);
  visit("start_us", r.start_us);
  visit("us", r.us);
  visit.maybe("ended_by", r.ended_by);
  visit.maybe("waited_for", r.waited_for);
}

void fields(auto& visit, Is<TraceRecord> auto& r) {
  visit("entry", r.entry);
  visit("rung", r.rung);
  visit("attempt", r.attempt);
  visit("simulated", r.simulated);
  visit.maybe("file", r.file);
  visit("devices", r.devices);
  visit.maybe("problem", r.problem);
  visit.maybe("idle", r.idle);
}

void fields(auto& visit, Is<FigureRecord> auto& r) {
  visit("name", r.name);
  visit.maybe("unit", r.unit);
  visit("median", r.median);
  visit("low", r.low);
  visit("high", r.high);
}

void fields(auto& visit, Is<CountRecord> auto& r) {
  visit("count", r.count);
  visit("value", r.value);
}

void fields(auto& visit, Is<RowRecord> auto& r) {
  visit("entry", r.entry);
  visit("rung", r.rung);
  visit("attempt", r.attempt);
  visit("peer", r.peer);
  visit("status", r.status);
  visit.maybe("reason", r.reason);
  visit.maybe("note", r.note);
  visit("samples", r.samples);
  visit("median_ms", r.median_ms);
  visit("low_ms", r.low_ms);
  visit("high_ms", r.high_ms);
  visit("speedup", r.speedup);
  visit("speedup_low", r.speedup_low);
  visit("speedup_high", r.speedup_high);
  visit.maybe("verdict", r.verdict);
  visit("p_value", r.p_value);
  visit.maybe("roof_ms", r.roof_ms);
  visit.maybe("roof_share", r.roof_share);
  visit.maybe("roof", r.roof);
  visit.maybe("figures", r.figures);
  visit.maybe("watts", r.watts);
  visit.maybe("throttle", r.throttle);
  visit.maybe("counts", r.counts);
  visit.maybe("host_share", r.host_share);
}

void fields(auto& visit, Is<EndRecord> auto& r) {
  visit("status", r.status);
  visit("finished", r.finished);
  visit("exit", r.exit);
  visit.maybe("verdict", r.verdict);
}

template <class R>
inline constexpr std::string_view kind_of{};
template <>
inline constexpr std::string_view kind_of<RunHeader> = "run";
template <>
inline constexpr std::string_view kind_of<DeviceRecord> = "device";
template <>
inline constexpr std::string_view kind_of<AttemptRecord> = "attempt";
template <>
inline constexpr std::string_view kind_of<CheckRecord> = "check";
template <>
inline constexpr std::string_view kind_of<SampleRecord> = "sample";
template <>
inline constexpr std::string_view kind_of<ProfileRecord> = "profile";
template <>
inline constexpr std::string_view kind_of<TraceRecord> = "trace";
template <>
inline constexpr std::string_view kind_of<RowRecord> = "row";
template <>
inline constexpr std::string_view kind_of<EndRecord> = "end";

}  // namespace aisp::lab
