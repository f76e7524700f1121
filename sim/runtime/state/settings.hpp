// What the environment asks for.
#pragma once

#include <string>

#include "sim/machine/device_model.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim {

// AISP_SIM_DEVICE: "h200", "a100", "b200,sms=8,gpus=4"; h200 by default.
DeviceModel model_from_environment();
// AISP_SIM_ORDER earliest|latest|random, AISP_SIM_SEED n, AISP_SIM_THREADS n, AISP_SIM_CHECK 0|1,
// AISP_SIM_STATS 0|1, AISP_SIM_HAZARDS folder, AISP_SIM_HAZARDS_UNINITIALISED 0|1,
// AISP_SIM_HAZARDS_ADVICE 0|1
Settings settings_from_environment();

std::string environment(const char* name, const char* otherwise = "");

// A setting that cannot be understood ends the program: what would follow is not what was asked.
[[noreturn]] void refuse_setting(const std::string& message);

}  // namespace aisp::sim
