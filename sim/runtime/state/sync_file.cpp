#include "sim/runtime/state/sync_file.hpp"

#include <filesystem>

#include "base/refuse.hpp"
#include "sim/runtime/state/settings.hpp"

namespace aisp::sim {
namespace {

watch::SyncFile* start() {
  const std::string folder = environment("AISP_SIM_SYNC");
  if (folder.empty()) return nullptr;
  if (!environment("AISP_SIM_HAZARDS").empty())
    refuse_setting(
        "AISP_SIM_SYNC and AISP_SIM_HAZARDS are both set: one of them looks on at a time");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    refuse_setting(base::say("AISP_SIM_SYNC=", folder, " is no folder: ", error.message()));
  return new watch::SyncFile(folder);
}

}  // namespace

watch::SyncFile* sync_file() {
  static watch::SyncFile* const file = start();
  return file;
}

}  // namespace aisp::sim
