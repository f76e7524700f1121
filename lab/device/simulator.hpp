// The simulator is another libcudart.so.13, with a libcuda.so.1 beside it: a program runs on it
// when the loader finds those first. Here is how a process gets there and how it knows where it is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/case/names.hpp"

namespace aisp::lab {

// Which of the things that may happen next does: asynchronous work as early as it can, as late as
// it may, or as a seed says.
enum class ScheduleOrder { earliest, latest, random };
constexpr auto names_of(ScheduleOrder) {
  return std::to_array<Name<ScheduleOrder>>({{ScheduleOrder::earliest, "earliest"},
                                             {ScheduleOrder::latest, "latest"},
                                             {ScheduleOrder::random, "random"}});
}

// What is left empty is the environment's choice (AISP_SIM_DEVICE, …), else the library's.
struct SimulatorOptions {
  std::string device;  // "h200", "a100", "b200", "h200,sms=8,gpus=4"
  std::optional<ScheduleOrder> order;
  std::string seed, threads;
  bool stats = false;
  bool full_names = false;
  bool quiet = false;  // of `aisp sim`: no line about the order
};

// True when this process' CUDA runtime is the simulator because that was put in front; not where it
// only stands in for one that is missing (cuda_runtime.hpp).
bool on_simulator();

// What the simulator has said on standard error since the last call, in one line: the report of a
// kernel's fault, why device code was refused. Takes it; "" when nothing was said, or on a GPU.
std::string take_simulator_note();

// A report of several lines as one; of many lines the first three and the last.
std::string one_line(const std::string& report);

// Where the library may be: what AISP_SIM_LIBRARY says, else beside the program in ../lib/sim, as
// it is built, or in ../lib/aisp/sim, as it is installed.
std::vector<std::filesystem::path> simulator_places();

// The first of them that is there. Refuses with the places when none is.
std::filesystem::path simulator_library();

// The devices that the library can pretend to be.
const std::vector<std::string>& simulated_devices();

// "h200" or "h200,sms=8,gpus=4" -> "", anything else -> the line that says what is wrong. How many
// multiprocessors a device has is the library's knowledge: it refuses too many itself.
std::string problem_with_device(const std::string& spec);

// Where a run is to run.
enum class DeviceKind { automatic, gpu, simulator };  // automatic: a GPU, else the simulator
constexpr auto names_of(DeviceKind) {
  return std::to_array<Name<DeviceKind>>(
      {{DeviceKind::automatic, "auto"}, {DeviceKind::gpu, "gpu"}, {DeviceKind::simulator, "sim"}});
}
struct DeviceChoice {
  DeviceKind kind = DeviceKind::automatic;
  std::string simulated;  // "h200,sms=8"; "": the library's choice
};

// "auto", "gpu", "sim" and "sim:h200,sms=8"; nothing for any other text. What follows the colon is
// for problem_with_device() to judge.
std::optional<DeviceChoice> device_choice(const std::string& text);

// Puts the simulator in front for programs that this process starts from now on.
void put_simulator_in_front(const SimulatorOptions& options);

// Becomes `words` (a program and its arguments). Returns only by throwing.
[[noreturn]] void become(const std::vector<std::string>& words);

// Starts this very command again on the simulator. Refuses where that has been tried and this
// process still is not on it: the library is broken, or of another kind of host.
[[noreturn]] void restart_on_simulator(const SimulatorOptions& options);

}  // namespace aisp::lab
