// What a report page is made of.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/expect/expectations.hpp"
#include "lab/record/history.hpp"
#include "lab/record/run_file.hpp"

namespace aisp::lab {

struct PageRun {
  RunFile run;
  std::filesystem::path folder;  // where its traces are
};

struct PageFindings {
  std::string title;
  nlohmann::json report;  // of `aisp check --format json`
};

struct PageInput {
  std::string title = "aisp report";
  std::string generated;  // UTC
  std::string generator;  // "aisp 0.2.0 (abc123)"
  std::vector<PageRun> runs;
  std::vector<HistoryRow> history;  // newest first, as History gives it
  std::vector<PageFindings> findings;
  std::string chapter;  // only this one; "": all
  // The expectations of a chapter on some hardware, where there are any.
  std::function<std::optional<Expectations>(const std::string& chapter,
                                            const std::string& hardware)>
      expectations;
  std::vector<std::string> warnings;
};

}  // namespace aisp::lab
