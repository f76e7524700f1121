#include "sim/runtime/state/settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "sim/exec/host_level.hpp"
#include "sim/watch/process_watch.hpp"

namespace aisp::sim {
namespace {

std::int64_t number(const char* name, const char* otherwise, std::int64_t least) {
  const std::string text = environment(name, otherwise);
  const auto value = base::parse_integer(text);
  if (!value || *value < least)
    refuse_setting(base::say(name, "=", text, " is not an integer of at least ", least));
  return *value;
}

bool flag(const char* name, const char* otherwise) {
  const std::string text = environment(name, otherwise);
  if (text != "0" && text != "1") refuse_setting(base::say(name, "=", text, " is neither 0 nor 1"));
  return text == "1";
}

Order order() {
  const std::string text = environment("AISP_SIM_ORDER", "earliest");
  if (text == "earliest") return Order::earliest;
  if (text == "latest") return Order::latest;
  if (text == "random") return Order::random;
  refuse_setting("AISP_SIM_ORDER=" + text + " is none of earliest, latest, random");
}

// The folder is made here: where it cannot be, nothing that is found would reach anybody.
watch::ProcessWatch* hazard_checker() {
  const bool uninitialised = flag("AISP_SIM_HAZARDS_UNINITIALISED", "0");
  const bool advice = flag("AISP_SIM_HAZARDS_ADVICE", "0");
  const std::string folder = environment("AISP_SIM_HAZARDS");
  if (folder.empty()) return nullptr;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    refuse_setting(base::say("AISP_SIM_HAZARDS=", folder, " is no folder: ", error.message()));
  auto* const process = new watch::ProcessWatch(folder);  // never destroyed, as the runtime itself
  process->options.uninitialised = uninitialised;
  process->options.advice = advice;
  return process;
}

// Handlers for this processor, or those that AISP_SIM_HOST asks for.
void choose_handlers() {
  try {
    opcode_table();
  } catch (const base::Refusal& refusal) {
    refuse_setting(refusal.what());
  }
}

}  // namespace

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

void refuse_setting(const std::string& message) {
  std::fprintf(stderr, "aisp sim: %s\n", message.c_str());
  std::_Exit(static_cast<int>(base::Exit::usage));
}

Settings settings_from_environment() {
  choose_handlers();
  number("AISP_SIM_ADDRESS_GIB", "8192", 1);
  Settings settings;
  settings.order = order();
  settings.seed = static_cast<std::uint64_t>(number("AISP_SIM_SEED", "1", 0));
  settings.host_threads = static_cast<int>(number("AISP_SIM_THREADS", "0", 0));
  settings.check_memory = flag("AISP_SIM_CHECK", "1");
  settings.detailed = flag("AISP_SIM_STATS", "0");
  settings.hazards = hazard_checker();
  return settings;
}

DeviceModel model_from_environment() {
  try {
    return device_model(environment("AISP_SIM_DEVICE", "h200"));
  } catch (const base::Refusal& refusal) {
    refuse_setting(base::say("AISP_SIM_DEVICE: ", refusal.what()));
  }
}

}  // namespace aisp::sim
