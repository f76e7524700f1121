// `programs_<kind> <name> [word…]` is the program of that name; without words it lists them.
#include <cstdio>
#include <string_view>

#include "program.hpp"

int main(int count, char** words) {
  for (const auto* at = Program::first(); at; at = at->next()) {
    if (count == 1) std::puts(at->name());
    if (count > 1 && std::string_view(words[1]) == at->name()) return at->run(count - 1, words + 1);
  }
  if (count == 1) return 0;
  std::fprintf(stderr, "no program %s here\n", words[1]);
  return 2;
}
