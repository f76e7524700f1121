#include "lab/device/simulator.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/refuse.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"
#include "lab/device/cuda_runtime.hpp"

namespace aisp::lab {
namespace {

void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

void put_in_front(const char* list, const std::string& value) {
  const char* before = std::getenv(list);
  set(list, before != nullptr && *before != '\0' ? value + ":" + before : value);
}

constexpr int most_gpus = 16;

std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::vector<std::string> words;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\0', start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

}  // namespace

bool on_simulator() {
  return cuda_runtime() == CudaRuntime::found &&
         base::find_in_process<void()>("aispSimulated") != nullptr;
}

std::string take_simulator_note() {
  auto* take = base::find_in_process<const char*()>("aispTakeNote");
  return take == nullptr ? "" : one_line(take());
}

std::string one_line(const std::string& report) {
  std::vector<std::string> parts;
  for (const auto& part : base::split(report, '\n'))
    if (const auto start = part.find_first_not_of(' '); start != std::string::npos)
      parts.push_back(part.substr(start));
  // What it is and where it happened are the first line and the last.
  constexpr std::size_t most = 5;
  if (parts.size() > most) {
    parts.erase(parts.begin() + most - 2, parts.end() - 1);
    parts.insert(parts.end() - 1, "…");
  }
  return base::join(parts, "; ");
}

std::vector<std::filesystem::path> simulator_places() {
  if (const char* given = std::getenv("AISP_SIM_LIBRARY")) return {given};
  std::error_code none;
  const auto root =
      std::filesystem::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  return {root / "lib/sim/libcudart.so.13", root / "lib/aisp/sim/libcudart.so.13"};
}

std::filesystem::path simulator_library() {
  std::error_code none;
  std::vector<std::string> looked;
  for (const auto& place : simulator_places()) {
    if (std::filesystem::exists(place, none)) return place;
    looked.push_back(place.string());
  }
  base::refuse(base::Exit::environment, "the simulator's library is not at ",
               base::join(looked, " or "),
               "; build it with 'make build', install the package again, or name it in "
               "AISP_SIM_LIBRARY");
}

const std::vector<std::string>& simulated_devices() {
  static const std::vector<std::string> names{"h200", "a100", "b200", "gb200"};
  return names;
}

std::string problem_with_device(const std::string& spec) {
  const auto& known = simulated_devices();
  const auto parts = base::split(spec, ',');
  const std::string name = parts.empty() ? "" : parts[0];
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    const auto near = base::nearest(name, known);
    return base::say("the simulator knows no device '", name, "'; it knows ",
                     base::join(known, ", "), near ? "; did you mean " + *near + "?" : "");
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto words = base::split(parts[i], '=');
    const bool gpus = words[0] == "gpus";
    const auto number = words.size() == 2 && (gpus || words[0] == "sms")
                            ? base::parse_integer(words[1])
                            : std::nullopt;
    if (!number || *number < 1)
      return base::say("'", parts[i],
                       "' is no option of a simulated device; 'sms=8' and 'gpus=4' are");
    if (gpus && *number > most_gpus)
      return base::say("'", parts[i], "': 1 to ", most_gpus, " devices can be simulated");
  }
  return "";
}

std::optional<DeviceChoice> device_choice(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto kind = value_named<DeviceKind>(text.substr(0, colon));
  if (!kind || (colon != std::string::npos && *kind != DeviceKind::simulator)) return std::nullopt;
  return DeviceChoice{*kind, colon == std::string::npos ? "" : text.substr(colon + 1)};
}

void put_simulator_in_front(const SimulatorOptions& options) {
  const auto library = simulator_library();
  std::string preloaded = library.string();
  // The driver lies beside the runtime; a library that AISP_SIM_LIBRARY names may be alone.
  const auto driver = library.parent_path() / "libcuda.so.1";
  std::error_code none;
  if (std::filesystem::exists(driver, none)) preloaded += ":" + driver.string();
  put_in_front("LD_PRELOAD", preloaded);
  // For programs that open the driver by the name for linking, libcuda.so.
  put_in_front("LD_LIBRARY_PATH", library.parent_path().string());
  if (!options.device.empty()) set("AISP_SIM_DEVICE", options.device);
  if (options.order) set("AISP_SIM_ORDER", std::string(name_of(*options.order)));
  if (!options.seed.empty()) set("AISP_SIM_SEED", options.seed);
  if (!options.threads.empty()) set("AISP_SIM_THREADS", options.threads);
  if (options.stats) set("AISP_SIM_STATS", "1");
  if (options.full_names) set("AISP_SIM_FULL_NAMES", "1");
}

void become(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  base::refuse(base::Exit::environment, "cannot start ", words[0], ": ", std::strerror(errno));
}

void restart_on_simulator(const SimulatorOptions& options) {
  const std::string library = simulator_library().string();
  const char* before = std::getenv("LD_PRELOAD");
  if (before != nullptr && std::string_view(before).starts_with(library))
    base::refuse(base::Exit::environment, "the simulator's library at ", library,
                 " cannot be loaded; build it with 'make build', install the package again, or "
                 "name another in AISP_SIM_LIBRARY");
  put_simulator_in_front(options);
  std::vector<std::string> words = own_command_line();
  std::error_code none;
  words[0] = std::filesystem::read_symlink("/proc/self/exe", none).string();
  become(words);
}

}  // namespace aisp::lab
