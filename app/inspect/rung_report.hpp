// One rung looked at: what there is goes into files, and a line for each into the report.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>

#include "app/inspect/options.hpp"
#include "lab/case/registry.hpp"
#include "lab/device/device.hpp"

namespace aisp::app {

struct RungReport {
  int files = 0;
  std::string refused{};  // why the rung cannot be launched here
  std::string failed{};   // what went wrong when it was
};

// `on_run` is called before a rung that cannot be captured runs.
RungReport inspect_rung(lab::Device& device, const lab::Target& target, const lab::Rung& rung,
                        const lab::Size& size, const InspectOptions& options, std::ostream& out,
                        const std::function<void()>& on_run);

// The file of a rung: its name is the rung's. Empty where the sources are not here.
std::filesystem::path rung_file(const lab::Target& target, const lab::Rung& rung);

}  // namespace aisp::app
