// What `aisp draw sync` was asked for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/case/names.hpp"
#include "lab/check/schedule.hpp"
#include "lab/run/plan/rung_choice.hpp"

namespace aisp::app {

enum class DrawingFormat { svg, dot };
constexpr auto names_of(DrawingFormat) {
  return std::to_array<lab::Name<DrawingFormat>>(
      {{DrawingFormat::svg, "svg"}, {DrawingFormat::dot, "dot"}});
}

struct SyncOptions : lab::RungChoice {
  std::vector<std::string> program;  // and its arguments, in place of a target
  std::string kernel;                // a part of its name, or its number; "": the busiest
  DrawingFormat format = DrawingFormat::svg;
  std::filesystem::path out;  // empty: standard output
  lab::Schedule schedule;
  double time_limit = 600;  // seconds
};

// Refuses (Exit::usage) what it does not know, with the nearest word.
SyncOptions read_sync_options(const std::vector<std::string>& given);

}  // namespace aisp::app
