// Runs of other machines beside one's own: their folders are copied, and the history knows them.
#pragma once

#include <filesystem>
#include <string>

namespace aisp::lab {

struct Imported {
  std::string id;  // under which it stands here
  std::filesystem::path folder;
  bool known = false;  // it was here already, byte for byte
};

// `source` is a run's folder, its run.jsonl or a run.json. Two machines may have given the same id
// to different runs: the second then has its host's name behind it, or a number. What was written
// until a copy failed is taken away again.
Imported import_run(const std::filesystem::path& source, const std::filesystem::path& out);

}  // namespace aisp::lab
