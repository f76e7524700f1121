// Renews the generated part of docs/simulator.md:  build/bin/simulator_page docs/simulator.md
#include <cstdio>
#include <fstream>
#include <iterator>

#include "base/refuse.hpp"
#include "sim/exec/coverage.hpp"

using namespace aisp;

int main(int count, char** words) try {
  if (count != 2) base::refuse(base::Exit::usage, "simulator_page docs/simulator.md");
  std::ifstream in(words[1]);
  const std::string page(std::istreambuf_iterator<char>(in), {});
  std::ofstream(words[1]) << sim::with_coverage(page);
  return 0;
} catch (const base::Refusal& refusal) {
  std::fprintf(stderr, "simulator_page: %s\n", refusal.what());
  return static_cast<int>(refusal.exit());
}
