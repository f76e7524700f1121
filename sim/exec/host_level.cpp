// Chooses the handlers for the processor that this runs on, once.
#include "sim/exec/host_level.hpp"

#include <cstdlib>
#include <string_view>

#include "base/refuse.hpp"

namespace aisp::sim {
namespace {

bool has_x86_64_v3() {
#if defined(AISP_HAS_X86_64_V3)
  // Of what the level has, these are the ones that tell processors apart.
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

const OpcodeTable& best() {
#if defined(AISP_HAS_X86_64_V3)
  if (has_x86_64_v3()) return host_level::x86_64_v3();
#endif
  return host_level::baseline();
}

const OpcodeTable& chosen() {
  const char* given = std::getenv("AISP_SIM_HOST");
  const std::string_view name = given != nullptr ? given : "";
  if (name.empty() || (name == "x86-64-v3" && has_x86_64_v3())) return best();
  if (name == "baseline") return host_level::baseline();
  base::refuse(base::Exit::usage, "AISP_SIM_HOST=", name, ": this simulator has ",
               has_x86_64_v3() ? "baseline and x86-64-v3" : "baseline alone",
               " on this processor; leave it out for the best");
}

}  // namespace

const OpcodeTable& opcode_table() {
  static const OpcodeTable& table = chosen();
  return table;
}

}  // namespace aisp::sim
