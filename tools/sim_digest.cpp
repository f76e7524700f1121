// What the simulator answers to every instruction test, as one line each: its name and a digest of
// all the bytes that it put out. Two hosts agree bit for bit where their pages are the same.
//   build/bin/sim_digest > page
#include <cstdio>

#include "base/digest.hpp"
#include "tests/sim/support/simulator.hpp"

using namespace aisp;

namespace {

std::string digest(const std::vector<std::byte>& bytes) {
  return base::hex_digest({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void print(const experiments::Experiment& experiment) {
  const char* device = experiment.sm.starts_with("10") ? "b200" : "h200";
  const auto outcome = simulate(experiment, {.host_threads = 1}, device);
  if (outcome.failure.empty())
    std::printf("%s %s\n", digest(outcome.out).c_str(), experiment.name.c_str());
  else
    std::printf("failed %s: %s\n", experiment.name.c_str(), outcome.failure.c_str());
}

}  // namespace

int main() {
  const std::filesystem::path folder =
      std::filesystem::path(AISP_SOURCE_DIR) / "tests/sim/instructions";
  for (const auto& file : experiments::files_under(folder / "forms", ".forms"))
    for (const auto& experiment : experiments::read_forms(file)) print(experiment);
  for (const auto& file : experiments::files_under(folder / "ptx", ".ptx"))
    print(experiments::read_ptx(file));
}
