// The ladder of a target out of an expectations file: a plot, and on standard output the tables for
// its README.
//   build/bin/ladder_page chapters/ch10/expectations_h200.json ch10:matmul docs/ladder.svg [SIZE]
// SIZE is a label such as "bf16 4096x4096x4096"; without it the first full size with times is
// taken.
#include "lab/report/ladder.hpp"

#include <cstdio>
#include <fstream>

#include "base/refuse.hpp"
#include "lab/case/registry.hpp"
#include "lab/report/ladder_svg.hpp"

using namespace aisp;

namespace {

std::vector<lab::Ladder> ladders_of(const lab::Expectations& expectations,
                                    const lab::Target& target) {
  std::vector<lab::Ladder> ladders;
  for (const auto& size : target.full) {
    auto ladder = lab::ladder_of(expectations, target, lab::rungs_of(target), size);
    if (!ladder.bars.empty()) ladders.push_back(std::move(ladder));
  }
  return ladders;
}

const lab::Ladder& chosen(const std::vector<lab::Ladder>& ladders, const std::string& target,
                          const std::string& size) {
  for (const auto& ladder : ladders)
    if (size.empty() || ladder.size == size) return ladder;
  base::refuse(base::Exit::usage, "no times of ", target, size.empty() ? "" : " " + size,
               " in that file");
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  if (!(file << text).flush())
    base::refuse(base::Exit::environment, "cannot write ", path, "; does its folder exist?");
}

}  // namespace

int main(int count, char** words) try {
  if (count != 4 && count != 5)
    base::refuse(base::Exit::usage, "ladder_page EXPECTATIONS chNN:name FILE.svg [SIZE]");
  const auto expectations = lab::load_expectations(words[1]);
  if (!expectations) base::refuse(base::Exit::usage, "no file ", words[1]);
  const lab::Target& target = *lab::select_targets(words[2]).at(0).target;
  const auto ladders = ladders_of(*expectations, target);
  const lab::Ladder& ladder = chosen(ladders, words[2], count == 5 ? words[4] : "");
  write(words[3], lab::ladder_svg(ladder));
  std::printf("%s\n%s", ladder.size.c_str(), lab::as_markdown(lab::ladder_table(ladder)).c_str());
  const auto shapes = lab::against_peers(ladders);
  if (shapes.rows.size() > 2) std::printf("\n%s", lab::as_markdown(shapes).c_str());
  return 0;
} catch (const base::Refusal& refusal) {
  std::fprintf(stderr, "ladder_page: %s\n", refusal.what());
  return static_cast<int>(refusal.exit());
}
