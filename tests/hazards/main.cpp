// `hazards_<folder> <name> bug|fixed` runs one side of a program, without arguments it lists them.
// Exit 1: the fixed side computed wrong numbers, or failed. A bug may compute what it likes.
#include <cstdio>
#include <string_view>

#include "tests/hazards/hazard.hpp"

namespace {

std::string_view name_of(const hazard::Program& program) {
  std::string_view name = program.file();
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  return name.substr(0, name.rfind('.'));
}

int list() {
  for (const auto* at = hazard::Program::first(); at; at = at->next()) {
    const auto name = name_of(*at);
    std::printf("%.*s %s\n", static_cast<int>(name.size()), name.data(),
                at->bug() ? "pair" : "clean");
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 1) return list();
  const std::string_view name = count > 1 ? words[1] : "", side = count > 2 ? words[2] : "";
  for (const auto* at = hazard::Program::first(); at && count == 3; at = at->next()) {
    if (name_of(*at) != name) continue;
    hazard::is_bug = side == "bug";
    const auto run = hazard::is_bug ? at->bug() : side == "fixed" ? at->fixed() : nullptr;
    if (!run) break;
    const bool right = run();
    std::printf("%s %s: %s\n", words[1], words[2], right ? "right" : "wrong");
    return right || hazard::is_bug ? 0 : 1;
  }
  std::fprintf(stderr, "usage: %s <name> bug|fixed; no such program here\n", words[0]);
  return 2;
}
