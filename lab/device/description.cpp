#include "lab/device/description.hpp"

#include <sys/utsname.h>

#include <fstream>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/measure/ceilings.hpp"
#include "lab/measure/roofline.hpp"

namespace aisp::lab {
namespace {

// x86 names the processor in each of its paragraphs; AArch64 has numbers there, which the kind of
// machine stands in for.
std::string processor_name(const std::string& machine) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return machine;
}

std::vector<RoofRecord> roofs_of(const Ceilings& ceilings) {
  std::vector<RoofRecord> roofs;
  const auto add = [&](const std::string& name, double rate, bool operations) {
    if (rate > 0) roofs.push_back({name, rate, operations});
  };
  add(std::string(roof_name(Unit::none)), ceilings.copy_bytes_per_s, false);
  add("link to device", ceilings.to_device_bytes_per_s, false);
  add("link to host", ceilings.to_host_bytes_per_s, false);
  for (const auto& [unit, name] : names_of(Unit{}))
    if (unit != Unit::none) add(std::string(name), ceilings.rate(unit), true);
  return roofs;
}

}  // namespace

DeviceRecord described(DeviceRecord device) {
  utsname system{};
  if (uname(&system) == 0) {
    device.host = system.nodename;
    device.system = base::say(system.sysname, ' ', system.release, ' ', system.machine);
  }
  device.processor = processor_name(system.machine);
  if (device.simulated) return device;
  if (const auto ceilings = load_ceilings(ceilings_path(device.hardware, device.uuid)))
    device.roofs = roofs_of(*ceilings);
  return device;
}

}  // namespace aisp::lab
