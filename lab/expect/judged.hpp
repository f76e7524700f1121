// Rows of a run with what their expectations say about them; what a check reports and an update
// starts from.
#pragma once

#include <vector>

#include "lab/expect/expectations.hpp"

namespace aisp::lab {

struct Judged {
  const RowRecord* row;  // into the given rows; null: planned, never run
  Finding finding;
};

// As check_expectations describes it.
std::vector<Judged> judge_rows(const Expectations& expectations, const RunFile& run,
                               const std::vector<RowRecord>& rows);

bool has_time(const RowRecord& row);

}  // namespace aisp::lab
