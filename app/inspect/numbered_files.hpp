// The folder that a rung is written into: files with numbers, in the order in which they come.
#pragma once

#include <filesystem>
#include <string>

namespace aisp::app {

class NumberedFiles {
 public:
  // Makes the folder and takes away what an earlier look has left there; other files stay. Refuses
  // (Exit::environment) a folder that cannot be made or written.
  explicit NumberedFiles(std::filesystem::path folder);

  // "03_ptx_softmax.ptx" of ("ptx", "softmax.ptx"). Letters that are awkward in names of files
  // become underscores, and long names are cut.
  std::filesystem::path write(const std::string& what, const std::string& name,
                              const std::string& text);

  const std::filesystem::path& folder() const { return folder_; }
  int count() const { return count_; }

 private:
  std::filesystem::path folder_;
  int count_ = 0;
};

}  // namespace aisp::app
