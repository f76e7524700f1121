// Files of one test, and what a refused action said.
#pragma once

#include <filesystem>
#include <string>

#include "base/refuse.hpp"

namespace aisp::lab {

// A folder of its own for one test, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string text_of(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, const std::string& text);

// The refusal that `action` ends in; fails the calling test's expectations when there is none.
template <class Action>
base::Refusal refusal_of(const Action& action) {
  try {
    action();
  } catch (const base::Refusal& refusal) {
    return refusal;
  }
  return {base::Exit::good, "nothing was refused"};
}

}  // namespace aisp::lab
