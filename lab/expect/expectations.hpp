// What each rung of a chapter is expected to take on one hardware, kept beside the chapter as
// expectations_<hardware>.json (lab/expect/expectations.schema.json). Times are the truth;
// speed-ups are derived when shown. Of a simulated device the file also has what was counted.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/case/counts.hpp"
#include "lab/record/run_file.hpp"

namespace aisp::lab {

// Schema 2 added counts, host_share and seed. Files of schema 1 are read as before: their rows have
// none of these until they are written again.
inline constexpr int expectations_schema = 2;
inline constexpr int oldest_expectations_schema = 1;
// How much slower a median may be before it counts as a regression. Unchanged kernels came within
// 2.3 % (chapter 9) and 4.3 % (chapter 11) of their expectations on another card of the same kind.
inline constexpr double default_tolerance = 0.05;
// Under a power cap the clock is what heat and the card allow: equal products differed by 15 %.
inline constexpr double power_cap_tolerance = 0.15;
// What waits for the host is as fast as the host: equal programs took 26 to 55 % longer beside
// another processor or a busy one. Such a time is shown and not judged; an update of the file still
// refuses one that is slower than this allows.
inline constexpr double host_tolerance = 0.5;
inline constexpr const char* host_reason = "bound by the host";
// From this share on, a slower host can become what bounds the row.
inline constexpr double host_share_kept = 0.5;
// Where the samples of one run scatter more than that, so do the medians of two.
inline constexpr double tolerated_spreads = 3;
// The time that is estimated from counts has no noise but what the order of waiting warps adds. It
// is judged only where a file of schema 1 has no counts.
inline constexpr double counted_tolerance = 0.02;

struct Provenance {  // of one run whose times are in the file
  std::string date, version, commit;
  std::string device, driver, runtime;
  // A time stands only beside times taken the same way.
  Timer timer = Timer::events;
  L2Mode l2 = L2Mode::cold;
  std::vector<std::string> command;
  int samples = 0;               // of all its rows in the file when they went in
  std::optional<double> sm_mhz;  // median over those samples
  std::string simulated;         // what counted them: "4 x 132 multiprocessors"; "": a GPU
  std::uint64_t seed = 0;        // of the inputs, which some counts depend on
  bool operator==(const Provenance&) const = default;
};

using CountValues = std::map<Count, double>;

struct ExpectedTime {
  double median_ms = 0, low_ms = 0, high_ms = 0;  // 95 % interval of the median
  int samples = 0;
  double spread = 0;  // interquartile range / median
  double tolerance = default_tolerance;
  std::string why{};   // this tolerance: "power cap", "bound by the host"; "": the usual one
  double best_ms = 0;  // the least that was ever written here: small losses cannot add up
  std::optional<double> host_share{};  // from host_share_kept on; see RowRecord
  CountValues counts{};                // of a simulated device: those that are judged
  std::string run;                     // key into provenance
  bool operator==(const ExpectedTime&) const = default;
};

struct Expectations {
  std::string hardware, chapter;
  std::map<std::string, Provenance> provenance;                        // by run id
  std::map<std::string, std::map<std::string, ExpectedTime>> entries;  // entry -> rung -> time

  const ExpectedTime* find(const std::string& entry, const std::string& rung) const;
  bool operator==(const Expectations&) const = default;
};

// <folder>/expectations_h200.json
std::filesystem::path expectations_path(const std::filesystem::path& folder,
                                        const std::string& hardware);

// Nothing when there is no such file. Refuses (Exit::environment) one that is cut short, is not as
// the schema says, has another version or contradicts its own name.
std::optional<Expectations> load_expectations(const std::filesystem::path& path);

// Replaces the file atomically; keys in a fixed order, one value per line, so that diffs read well.
void save_expectations(const std::filesystem::path& path, const Expectations& expectations);

struct CountChange {  // of one judged count of a row, by more than its tolerance
  Count count{};
  double expected = 0, counted = 0;
  bool is_worse() const { return !(counted <= expected); }
};

struct Finding {
  enum Kind {
    ok,
    regression,
    improvement,
    missing_expectation,
    missing_result,
    other_conditions,
    host_bound,  // compared, but not judged
  };
  bool slower = false;   // a regression of the time: worth a second look
  bool counted = false;  // judged by its counts: its time is only estimated from them
  std::string entry, rung;
  Kind kind = ok;
  double expected_ms = 0, measured_ms = 0;  // 0: there is none
  double ratio = 0;                         // measured / expected
  double tolerance = 0;
  std::vector<CountChange> changes{};  // worse and better counts of a simulated row
  std::string line;                    // the whole finding for the reader

  // Whether a time, and the counts where there are some, decided what this finding is.
  bool is_judged() const {
    return ratio > 0 && (kind == ok || kind == regression || kind == improvement);
  }
};

// One finding per planned rung of this chapter that has a time on either side, in the order of the
// plan. A median above expected * (1 + tolerance) is a regression, and so is a row that was
// expected to have a time and failed, came out wrong, was refused, or was skipped for another
// reason than that this device lacks the feature; so is an expected rung that its target no longer
// has. Below expected / (1 + tolerance) it is an improvement. On a simulated device the counts are
// judged in place of the time, which is only estimated from them: one that is larger than expected
// is a regression, and a smaller one is an improvement where no other got worse
// (lab/expect/counts.hpp). Where a file of schema 1 has no counts, the estimated time is judged. A
// time that the host bounds is not judged. A rung that the run never came to has no result. A time
// taken with another --timer or
// --l2 than the expected one is not compared, nor one counted on a simulated device of another size
// or with another seed. Refuses a run on other hardware; a simulated device is hardware of its own,
// "h200-simulated".
std::vector<Finding> check_expectations(const Expectations& expectations, const RunFile& run);

bool any_regression(const std::vector<Finding>& findings);

struct ExpectationUpdate {
  std::vector<Finding> written;  // went in; expected_ms is the value before, 0 for a new one
  // Of those the ones whose time or, on a simulated device, counts got worse, each as a line:
  // accepted, or a time within its tolerance.
  std::vector<std::string> worsened;
  std::vector<Finding> kept;  // old value kept: a regression, other conditions, or no time
};

// Takes over the run's measured rows of this chapter. A regressed row keeps its old values unless
// `accept_regressions`, and so does one that is slower than the best that was ever written. A count
// that is larger within its tolerance keeps the smaller value, so that small losses cannot add up.
// A row without a time never changes anything, nor do entries not in the run. Refuses a run on
// other hardware (Exit::usage).
ExpectationUpdate update_expectations(Expectations& expectations, const RunFile& run,
                                      bool accept_regressions);

}  // namespace aisp::lab
