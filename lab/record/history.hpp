// What every run measured, one SQLite file beside the runs' folders: safe with several runs writing
// at once. The run files are the truth; the history can be made again from them.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/record/run_file.hpp"
#include "lab/record/sqlite.hpp"

namespace aisp::lab {

inline constexpr std::string_view history_name = "history.sqlite";
inline constexpr int history_schema = 1;

struct HistoryRow {
  std::string run, started, version, commit;
  std::string hardware, device;
  bool simulated = false;
  std::string target, entry, rung;
  bool peer = false;
  RowStatus status = RowStatus::failed;
  std::string reason;
  int samples = 0;
  double median_ms = 0, low_ms = 0, high_ms = 0;
  double speedup = 0;
  std::optional<double> roof_share;
  std::string timer, l2;
};

class History {
 public:
  // Opens or creates the file (its folder must exist). Refuses (Exit::environment) a file that is
  // no database, is damaged, is another program's or was written by a newer aisp, and leaves it
  // alone.
  explicit History(const std::filesystem::path& path);

  // Writes the run and its latest rows in one transaction; again for the same run replaces them.
  void record(const RunFile& run);

  // Newest run first, within a run in the order of its plan. `target` is "ch09:name" or "ch09".
  std::vector<HistoryRow> rows(const std::optional<std::string>& target, int limit);

  // Id of the newest run that has a row (of that chapter).
  std::optional<std::string> latest_run(const std::optional<std::string>& chapter = std::nullopt);

 private:
  void check_version();
  void create_tables();

  std::mutex guard_;
  Database database_;
};

}  // namespace aisp::lab
