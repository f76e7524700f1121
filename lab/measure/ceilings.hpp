// What a device was measured to reach: the numbers that rooflines divide by. `aisp doctor
// --measure` fills one file per device; every other command only reads it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lab/case/case.hpp"

namespace aisp::lab {

inline constexpr int ceilings_version = 2;  // 2: the host's link

// A rate of 0 is unknown: not measured, or the device has no such unit.
struct Ceilings {
  std::string hardware;                // "h200"
  std::string uuid;                    // "GPU-…"
  std::string device;                  // "NVIDIA H200"
  std::string driver;                  // "580.65.06"
  std::string measured_at;             // UTC, 2026-01-31T12:00:00Z
  double copy_bytes_per_s = 0.0;       // device-to-device copy, bytes read plus bytes written
  double to_device_bytes_per_s = 0.0;  // from pinned host memory
  double to_host_bytes_per_s = 0.0;    // into pinned host memory
  double both_ways_bytes_per_s = 0.0;  // both at once, bytes of both: less than the sum of the two
  double fma_f32 = 0.0;                // this and the rest: operations per second
  double fma_f16 = 0.0;
  double matrix_tf32 = 0.0;
  double matrix_bf16 = 0.0;
  double matrix_fp8 = 0.0;

  double rate(Unit unit) const;  // 0 for Unit::none
};

// $AISP_HOME, else $XDG_CACHE_HOME/aisp, else ~/.cache/aisp.
std::filesystem::path aisp_home();
// <aisp_home>/ceilings/<hardware>-<uuid>.json
std::filesystem::path ceilings_path(const std::string& hardware, const std::string& uuid);

// Nothing when there is no such file. Refuses (Exit::environment) a file that cannot be read, is
// corrupt, of another version or holds a rate that is no rate, with the command that makes a new
// one.
std::optional<Ceilings> load_ceilings(const std::filesystem::path& file);

// Atomic: a reader sees the old file or the new one, also after a crash. Makes the folders.
void save_ceilings(const std::filesystem::path& file, const Ceilings& ceilings);

}  // namespace aisp::lab
