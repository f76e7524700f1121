// How a run was made and how each part of it ended, as the records say it.
#pragma once

#include "lab/case/names.hpp"

namespace aisp::lab {

// What a sample is the time of: a run that the host enqueues, or the replay of a graph of it.
enum class Timer { events, graph };
constexpr auto names_of(Timer) {
  return std::to_array<Name<Timer>>({{Timer::events, "events"}, {Timer::graph, "graph"}});
}

// minimal: the kernels of each rung; roofline: operations and bytes of every level, too;
// deep_dive: all that is counted, stalls and their source lines among it.
enum class Profile { none, minimal, roofline, deep_dive };
constexpr auto names_of(Profile) {
  return std::to_array<Name<Profile>>({{Profile::none, "none"},
                                       {Profile::minimal, "minimal"},
                                       {Profile::roofline, "roofline"},
                                       {Profile::deep_dive, "deep_dive"}});
}
constexpr bool wants_counters(Profile profile) {
  return profile == Profile::roofline || profile == Profile::deep_dive;
}

enum class CheckTime { before, after };  // the timed runs
constexpr auto names_of(CheckTime) {
  return std::to_array<Name<CheckTime>>(
      {{CheckTime::before, "before"}, {CheckTime::after, "after"}});
}

// checked: numbers only; refused: its time is under the roofline's floor.
enum class RowStatus { measured, checked, wrong, failed, skipped, refused };
constexpr auto names_of(RowStatus) {
  return std::to_array<Name<RowStatus>>({{RowStatus::measured, "measured"},
                                         {RowStatus::checked, "checked"},
                                         {RowStatus::wrong, "wrong"},
                                         {RowStatus::failed, "failed"},
                                         {RowStatus::skipped, "skipped"},
                                         {RowStatus::refused, "refused"}});
}

// Whether the rung ran and what it gave cannot be right.
constexpr bool is_bad(RowStatus status) {
  return status == RowStatus::wrong || status == RowStatus::failed || status == RowStatus::refused;
}

enum class EndStatus { complete, interrupted, time_limit, stopped };
constexpr auto names_of(EndStatus) {
  return std::to_array<Name<EndStatus>>({{EndStatus::complete, "complete"},
                                         {EndStatus::interrupted, "interrupted"},
                                         {EndStatus::time_limit, "time limit"},
                                         {EndStatus::stopped, "stopped"}});
}

}  // namespace aisp::lab
