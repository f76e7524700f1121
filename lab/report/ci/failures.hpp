// Why a row is a failure, if it is one: the same for every format.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lab/expect/expectations.hpp"
#include "lab/record/run_file.hpp"

namespace aisp::lab {

class Failures {
 public:
  explicit Failures(const std::vector<Finding>& regressions);
  // "" for a row that is as it should be.
  std::string of(const RowRecord& row) const;
  // "wrong", "failed", "refused" or "regression".
  std::string kind_of(const RowRecord& row) const;

 private:
  std::map<std::pair<std::string, std::string>, std::string> regressions_;
};

}  // namespace aisp::lab
