#include "lab/cli/doctor_checks.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/refuse.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"
#include "lab/case/library.hpp"
#include "lab/case/planned.hpp"
#include "lab/case/registry.hpp"
#include "lab/cli/expectation_places.hpp"
#include "lab/device/clock_probe.hpp"
#include "lab/device/cuda_runtime.hpp"
#include "lab/device/device.hpp"
#include "lab/device/simulator.hpp"
#include "lab/measure/ceilings.hpp"
#include "lab/measure/nvml.hpp"
#include "lab/profile/cupti.hpp"
#include "lab/profile/ncu/tool.hpp"
#include "lab/run/plan/build_info.hpp"

namespace aisp::lab {
namespace {

using State = DoctorLine::State;
namespace fs = std::filesystem;

DoctorLine check_toolkit() {
  std::vector<fs::path> places;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable)) places.push_back(fs::path(root) / "bin");
  if (const char* path = std::getenv("PATH"))
    for (const auto& folder : base::split(path, ':')) places.emplace_back(folder);
  places.emplace_back("/usr/local/cuda/bin");
  for (const auto& place : places)
    if (access((place / "nvcc").c_str(), X_OK) == 0)
      return {State::good, "toolkit", (place / "nvcc").string(), ""};
  return {State::note, "toolkit", "no nvcc on PATH, in CUDA_HOME or /usr/local/cuda",
          "install the CUDA 13 toolkit to build kernels; running them needs only its libraries"};
}

DoctorLine check_simulator() {
  try {
    return {State::good, "simulator", simulator_library().string(), ""};
  } catch (const base::Refusal& refusal) {
    const bool needed = !why_no_cuda_device().empty();
    return {needed ? State::missing : State::note, "simulator", refusal.what(), ""};
  }
}

DoctorLine check_runtime() {
  if (cuda_runtime() != CudaRuntime::found)
    return {
        State::note, "CUDA runtime", "no libcudart.so.13 of a CUDA toolkit was found",
        "none is needed on the simulator; for a GPU install the CUDA 13 toolkit or set CUDA_HOME"};
  int number = 0;
  cudaRuntimeGetVersion(&number);
  return {State::good, "CUDA runtime", fmt::format("{}.{}", number / 1000, number % 1000 / 10), ""};
}

DoctorLine check_writable(const std::string& what, const fs::path& folder, const std::string& way) {
  fs::path existing = fs::absolute(folder);
  std::error_code none;
  while (!fs::exists(existing, none) && existing.has_relative_path())
    existing = existing.parent_path();
  if (fs::is_directory(existing, none) && access(existing.c_str(), W_OK) == 0)
    return {State::good, what, folder.string(), ""};
  return {State::missing, what, folder.string() + " cannot be written", way};
}

DoctorLine check_clocks(const Reading& now, const GpuLimits& limits) {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.0f}", *value) : std::string("?");
  };
  DoctorLine line{
      State::good, "clocks",
      fmt::format("SM {} of {} MHz, memory {} MHz, {} of {} W, {} C", number(now.sm_mhz),
                  number(limits.max_sm_mhz), number(now.mem_mhz), number(now.watts),
                  number(limits.power_limit_watts), number(now.celsius)),
      ""};
  if (harmful(now.reasons)) {
    line.state = State::note;
    line.found += ", held back by " + base::join(reason_names(now.reasons), ", ");
    line.remedy = "let the card cool or check its power supply; throttled samples are marked";
  }
  return line;
}

DoctorLine check_ceilings(const DeviceRecord& device) {
  const auto path = ceilings_path(device.hardware, device.uuid);
  const std::string remedy = "aisp doctor --measure";
  try {
    const auto ceilings = load_ceilings(path);
    if (!ceilings) return {State::note, "ceilings", "not measured on this device", remedy};
    return {State::good, "ceilings",
            fmt::format("copy {}, link {} in and {} out, fp32 FMA {}, bf16 matrix {}, fp8 matrix "
                        "{} ({})",
                        base::with_prefix(ceilings->copy_bytes_per_s, "B/s"),
                        base::with_prefix(ceilings->to_device_bytes_per_s, "B/s"),
                        base::with_prefix(ceilings->to_host_bytes_per_s, "B/s"),
                        base::with_prefix(ceilings->fma_f32, "flop/s"),
                        base::with_prefix(ceilings->matrix_bf16, "flop/s"),
                        base::with_prefix(ceilings->matrix_fp8, "flop/s"), ceilings->measured_at),
            ""};
  } catch (const std::exception& error) {
    return {State::missing, "ceilings", error.what(), remedy};
  }
}

// Peers that are asked for with --peers; a run does without.
DoctorLine check_peer(const std::string& name) {
  const LibraryState& state = library_state(name);
  return state.missing.empty() ? DoctorLine{State::good, name, state.found, ""}
                               : DoctorLine{State::note, name, state.missing, state.remedy};
}

DoctorLine check_chapters() {
  if (all_targets().empty() && planned_targets().empty())
    return {State::note, "targets", "none in this build", "load a module of yours with --load"};
  if (fs::is_directory(chapters_root()))
    return {State::good, "chapters", chapters_root().string(), ""};
  return {State::note, "chapters", chapters_root().string(),
          "run from the repository or set AISP_CHAPTERS: without it there are no expectations"};
}

void examine_device(std::vector<DoctorLine>& lines) {
  if (const auto why = why_no_cuda_device(); !why.empty()) {
    lines.push_back({State::note, "GPU", why,
                     "targets run on the simulator; for real times use a machine with an NVIDIA "
                     "GPU and driver 580 or newer"});
    return;
  }
  const DeviceRecord device = open_cuda_device()->info();
  lines.push_back({State::good, "GPU",
                   fmt::format("{}, sm_{}{}, {} multiprocessors, {} memory, {} L2", device.name,
                               device.major, device.minor, device.multiprocessors,
                               base::with_prefix(static_cast<double>(device.memory_bytes), "B"),
                               base::with_prefix(static_cast<double>(device.l2_bytes), "B")),
                   ""});
  lines.push_back({State::good, "driver", device.driver, ""});
  if (device.simulated) return;
  const auto nvml = open_nvml(device.uuid);
  lines.push_back(nvml.gauge ? check_clocks(nvml.gauge->read(), nvml.gauge->limits())
                             : DoctorLine{State::note, "clocks", nvml.problem,
                                          "without NVML, throttled samples are not marked"});
  std::string problem;
  if (open_clock_probe(device.multiprocessors, problem) == nullptr)
    lines.push_back({State::note, "clock probe", problem,
                     "without it no clock stands beside the times: update the driver"});
  std::ifstream parameters("/proc/driver/nvidia/params");
  const std::string text{std::istreambuf_iterator<char>(parameters), {}};
  lines.push_back(check_counters(text, geteuid() == 0));
  lines.push_back(check_ceilings(device));
}

}  // namespace

DoctorLine check_library(const std::string& what, const std::vector<std::string>& names,
                         const std::string& remedy) {
  if (const auto library = base::SharedLibrary::first_of(names))
    return {State::good, what, library.name(), ""};
  return {State::note, what, "not found as " + base::join(names, " or "), remedy};
}

DoctorLine check_counters(const std::string& driver_parameters, bool root) {
  std::istringstream text(driver_parameters);
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("RmProfilingAdminOnly:")) continue;
    if (root || line.find('1') == std::string::npos)
      return {State::good, "counters", "hardware counters can be read", ""};
    return {State::note, "counters", "only root may read hardware counters",
            "run ncu as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"};
  }
  return {State::note, "counters", "the driver does not say who may read hardware counters",
          "try: ncu --clock-control none true"};
}

std::vector<DoctorLine> examine(const CommandLine& line) {
  std::vector<DoctorLine> lines{{State::good, "aisp", version + " (" + commit + ")", ""}};
  examine_device(lines);
  lines.push_back(check_simulator());
  lines.push_back(check_toolkit());
  lines.push_back(check_runtime());
  const std::string folder = "/usr/local/cuda/lib64/";
  lines.push_back(
      check_library("cuBLASLt", {"libcublasLt.so.13", folder + "libcublasLt.so.13"},
                    "install the CUDA 13 toolkit's cuBLAS; its rungs are skipped without"));
  std::string tried;
  const std::string cupti = find_cupti(tried);
  lines.push_back(cupti.empty() ? DoctorLine{State::note, "CUPTI", "not found as " + tried,
                                             "install the toolkit's CUPTI for --profile minimal"}
                                : DoctorLine{State::good, "CUPTI", cupti, ""});
  const std::string profiler = ncu::find_tool(tried);
  lines.push_back(profiler.empty()
                      ? DoctorLine{State::note, "ncu", "not found (tried " + tried + ")",
                                   "install Nsight Compute for --profile roofline and "
                                   "deep_dive, or set AISP_NCU"}
                      : DoctorLine{State::good, "ncu", profiler, ""});
  for (const auto& name : library_names()) lines.push_back(check_peer(name));
  lines.push_back(check_writable("runs", line.run.out, "choose a folder with --out"));
  lines.push_back(check_writable("home", aisp_home(), "set AISP_HOME to a writable folder"));
  lines.push_back(check_chapters());
  return lines;
}

}  // namespace aisp::lab
