// What the simulator answers to every instruction test, as one line each: its name and a digest of
// all the bytes that it put out. Two hosts agree bit for bit where their pages are the same.
//   build/bin/sim_digest > page
#include <cstdint>
#include <cstdio>

#include "tests/sim/support/simulator.hpp"

using namespace aisp;

namespace {

std::uint64_t digest(const std::vector<std::byte>& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte byte : bytes)
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3u;
  return hash;
}

void print(const experiments::Experiment& experiment) {
  const char* device = experiment.sm.starts_with("10") ? "b200" : "h200";
  const auto outcome = simulate(experiment, {.host_threads = 1}, device);
  if (outcome.failure.empty())
    std::printf("%016llx %s\n", static_cast<unsigned long long>(digest(outcome.out)),
                experiment.name.c_str());
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
