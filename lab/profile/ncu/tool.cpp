#include "lab/profile/ncu/tool.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/profile/ncu/counters.hpp"

namespace aisp::lab::ncu {
namespace {

namespace fs = std::filesystem;

// Newest version first.
std::vector<std::string> vendor_places() {
  std::vector<std::string> places;
  std::error_code none;
  for (const auto& version : fs::directory_iterator("/opt/nvidia/nsight-compute", none))
    places.push_back((version.path() / "ncu").string());
  std::sort(places.rbegin(), places.rend());
  return places;
}

std::vector<std::string> places() {
  std::vector<std::string> all;
  const char* path = std::getenv("PATH");
  for (const auto& folder : base::split(path != nullptr ? path : "", ':'))
    if (!folder.empty()) all.push_back(folder + "/ncu");
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable)) all.push_back(std::string(home) + "/bin/ncu");
  all.emplace_back("/usr/local/cuda/bin/ncu");
  const auto vendor = vendor_places();
  all.insert(all.end(), vendor.begin(), vendor.end());
  return all;
}

}  // namespace

std::string find_tool(std::string& tried) {
  if (const char* named = std::getenv("AISP_NCU"); named != nullptr && *named != '\0') {
    tried = base::say("AISP_NCU=", named);
    return access(named, X_OK) == 0 ? named : "";
  }
  for (const auto& place : places())
    if (access(place.c_str(), X_OK) == 0) return place;
  tried = "AISP_NCU, PATH, CUDA_HOME, /usr/local/cuda/bin, /opt/nvidia/nsight-compute";
  return "";
}

std::string version_in(std::string_view text) {
  const auto at = text.find("Version ");
  if (at == std::string_view::npos) return "";
  const auto rest = text.substr(at + 8);
  const auto end = rest.find_first_not_of("0123456789.");
  std::string version(rest.substr(0, end));
  while (version.ends_with('.')) version.pop_back();
  // "2025.3.1.0": the last number is always 0.
  return std::count(version.begin(), version.end(), '.') == 3
             ? version.substr(0, version.rfind('.'))
             : version;
}

std::string range_name(int rung) { return base::say("aisp:", rung); }

std::vector<std::string> collect_words(Profile profile, const fs::path& report) {
  std::vector<std::string> words{
      "--profile-from-start", "off",   "--clock-control", "none", "--target-processes",
      "application-only",     "--nvtx"};
  for (const auto& section : sections_for(profile))
    words.insert(words.end(), {"--section", section});
  words.insert(words.end(), {"--metrics", base::join(metrics_for(profile), ",")});
  if (profile == Profile::deep_dive) words.insert(words.end(), {"--import-source", "yes"});
  words.insert(words.end(), {"-f", "-o", report.string()});
  return words;
}

std::vector<std::string> raw_words(const fs::path& report) {
  return {"-i", report.string(), "--csv", "--page", "raw", "--print-units", "base"};
}

std::vector<std::string> source_words(const fs::path& report) {
  return {"-i", report.string(), "--csv", "--page", "source", "--print-source", "cuda,sass"};
}

std::string problem_in(std::string_view output) {
  const auto says = [&](std::string_view words) {
    return output.find(words) != std::string_view::npos;
  };
  if (says("ERR_NVGPUCTRPERM"))
    return "the driver permits its counters to administrators only: run as root, or set "
           "NVreg_RestrictProfilingToAdminUsers=0 for the module nvidia and load it again";
  if (says("ERR_NVCMPT") || says("driver resource was unavailable") ||
      says("profiler is already in use"))
    return "another profiler holds the counters of this GPU: end it, DCGM's among them, and try "
           "again";
  for (const auto& line : base::split(output, '\n')) {
    constexpr std::string_view mark = "==ERROR== ";
    if (const auto at = line.find(mark); at != std::string::npos) {
      std::string text = line.substr(at + mark.size());
      while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
        text.pop_back();
      return "ncu: " + text;
    }
  }
  return says("No kernels were profiled") ? "it launched no kernel in this process" : "";
}

}  // namespace aisp::lab::ncu
