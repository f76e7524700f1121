// What the parent takes from a worker: records of the job that this worker was given, each in its
// place, and rows whose checks and samples came before them. A rung's host code runs in the worker
// and can write to the same stream, so no line is believed because of where it comes from.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lab/record/records.hpp"
#include "lab/run/process/job.hpp"

namespace aisp::lab {

// A line that the worker may not send. `what()` continues "worker sent …".
class ForeignLine : public std::runtime_error {
 public:
  ForeignLine(const std::string& what, std::string rung)
      : std::runtime_error(what), rung_(std::move(rung)) {}
  const std::string& rung() const { return rung_; }  // that it ends; "": none was at work

 private:
  std::string rung_;
};

class Intake {
 public:
  explicit Intake(const Job& job) : job_(job) {}

  // Throws ForeignLine.
  std::variant<Phase, Record> take(const std::string& line);

  // The last one that came.
  const Phase& phase() const { return phase_; }
  // The rung of the job that is at work; "" between them.
  std::string rung_at_work() const;

 private:
  struct Seen {
    bool right_before = false, right_after = false, wrong = false;
    bool row = false, good = false, profile = false, trace = false;
  };

  Phase read_phase(const nlohmann::json& object) const;
  void admit(const RunHeader& record);
  void admit(const EndRecord& record);
  void admit(const DeviceRecord& record);
  void admit(const AttemptRecord& record);
  void admit(const CheckRecord& record);
  void admit(const SampleRecord& record);
  void admit(const ProfileRecord& record);
  void admit(const TraceRecord& record);
  void admit(const RowRecord& record);

  // The rung that a record is about, which must be one of the job and the one at work, if any is.
  Seen& seen_of(const char* kind, const std::string& entry, const std::string& rung, int attempt);
  void require_checks(const RowRecord& row, const Seen& seen) const;
  void require_samples(const RowRecord& row) const;
  void require_good_row(const char* kind, const std::string& rung, const Seen& seen) const;
  [[noreturn]] void refuse(const std::string& rung, const std::string& what) const;

  Job job_;
  Phase phase_{.rung = "", .what = "start", .share = 0};
  bool device_ = false, attempt_ = false;
  std::map<std::string, Seen> seen_;
  // By rung and attempt: a self-check counts its repetitions as attempts.
  std::map<std::pair<std::string, int>, std::vector<double>> samples_;
};

}  // namespace aisp::lab
