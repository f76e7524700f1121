#include "app/demo/demo_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/report/counts.hpp"
#include "lab/report/row_cells.hpp"
#include "lab/report/table.hpp"

namespace aisp::app {
namespace {

constexpr std::size_t page_columns = 100;

std::string wrapped(const std::string& text) {
  std::istringstream words(text);
  std::string page, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > page_columns) {
      page += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return page + line + "\n";
}

const lab::Target& target_of(const Demonstration& demonstration) {
  return *lab::select_targets(demonstration.target).front().target;
}

std::string idea_of(const lab::Target& target, const std::string& rung) {
  for (const auto& one : lab::rungs_of(target))
    if (one.name == rung) return one.idea;
  return "";
}

// What a run said about the rungs of one size of one target.
class Section {
 public:
  Section(const lab::RunFile& run, const lab::EntryPlan& entry, const Demonstration& what)
      : run_(run),
        entry_(entry),
        what_(what),
        target_(target_of(what)),
        simulated_(run.device && run.device->simulated) {
    for (const auto& row : lab::latest_rows(run))
      if (row.entry == entry.entry) rows_.push_back(row);
  }

  bool remarkable() const { return std::any_of(rows_.begin(), rows_.end(), is_bad); }

  void print(std::ostream& out) const {
    const lab::Size size{entry_.variant, entry_.dims};
    out << "\n" << base::join(target_.axes, " x ") << " = " << size.label() << "\n";
    out << lab::as_text(table());
    for (const auto& row : rows_) {
      if (!row.reason.empty())
        out << row.rung << ": " << name_of(row.status) << ": " << row.reason << "\n";
      if (!row.note.empty()) out << row.rung << ": " << row.note << "\n";
    }
    out << wrapped(conclusion());
  }

 private:
  static bool timed(const lab::RowRecord& row) { return row.samples > 0; }
  static bool is_bad(const lab::RowRecord& row) { return lab::is_bad(row.status); }

  std::string rate(const lab::RowRecord& row) const {
    const auto* attempt = lab::attempt_of(run_, row);
    if (attempt == nullptr || !timed(row)) return "";
    return fmt::format("{:.2f}", attempt->bytes / row.median_ms / 1e6);
  }

  lab::Table table() const {
    if (simulated_) return counted_table();
    lab::Table table{{{"rung"}, {"what it does"}, {"time", true}}, {}};
    table.columns.push_back({"speed-up", true});
    if (what_.of_a_disk) table.columns.push_back({"GB/s", true});
    for (const auto& row : rows_) {
      std::vector<std::string> cells{row.rung, idea_of(target_, row.rung),
                                     timed(row) ? base::duration(row.median_ms) : status(row)};
      cells.push_back(row.speedup > 0 ? fmt::format("{:.2f}x", row.speedup) : "");
      if (what_.of_a_disk) cells.push_back(rate(row));
      table.rows.push_back(std::move(cells));
    }
    return table;
  }

  // What the simulator knows of it, in place of a time.
  lab::Table counted_table() const {
    lab::Table table{{{"rung"}, {"what it does"}, {"the idea"}}, {}};
    for (const auto& row : rows_) {
      const std::string shown = lab::shown_idea(run_, row);
      table.rows.push_back(
          {row.rung, idea_of(target_, row.rung), shown.empty() ? status(row) : shown});
    }
    return table;
  }

  std::string status(const lab::RowRecord& row) const {
    return lab::status_word(row.status, simulated_);
  }

  // What can be said without a time: whether the numbers are right.
  std::string judged() const {
    const auto bad = std::count_if(rows_.begin(), rows_.end(), is_bad);
    const auto ran = std::count_if(rows_.begin(), rows_.end(), timed);
    if (bad > 0) return fmt::format("{} of {} rungs went wrong: see above.", bad, rows_.size());
    if (ran == 0) return "Nothing could run here: see above.";
    return ran == static_cast<long>(rows_.size())
               ? "The numbers of every rung are right."
               : fmt::format("The numbers of the {} rungs that could run are right.", ran);
  }

  std::string conclusion() const {
    if (simulated_)
      return judged() +
             (target_.shows_nowhere.empty()
                  ? std::string(" Nothing was timed: the simulator counts what a rung "
                                "does, and only a GPU shows how fast that is.")
                  : " No count of the simulator shows the idea: " + target_.shows_nowhere + ".");
    const lab::RowRecord* first = nullptr;
    const lab::RowRecord* best = nullptr;
    for (const auto& row : rows_) {
      if (!timed(row)) continue;
      if (row.speedup == 1 && first == nullptr) first = &row;
      if (best == nullptr || row.median_ms < best->median_ms) best = &row;
    }
    if (first == nullptr || best == nullptr) return judged();
    if (best == first)
      return judged() + fmt::format(" Here none is faster than {} with {}.", first->rung,
                                    base::duration(first->median_ms));
    const std::string both =
        fmt::format(" {} takes {} where {} takes {}: ", best->rung, base::duration(best->median_ms),
                    first->rung, base::duration(first->median_ms));
    const double times = first->median_ms / best->median_ms;
    return judged() + both +
           (best->verdict == lab::Verdict::faster
                ? fmt::format("{:.2f} times as fast.", times)
                : fmt::format("the samples cannot tell them apart ({}).",
                              lab::name_of(best->verdict)));
  }

  const lab::RunFile& run_;
  const lab::EntryPlan& entry_;
  const Demonstration& what_;
  const lab::Target& target_;
  bool simulated_;
  std::vector<lab::RowRecord> rows_;
};

}  // namespace

void print_demonstrations(const lab::RunFile& run, const std::vector<Demonstration>& demonstrations,
                          std::ostream& out) {
  int number = 0;
  for (const auto& one : demonstrations) {
    if (++number > 1) out << "\n";
    out << number << ". " << one.title << ": " << target_of(one).idea << "\n";
    for (const auto& paragraph : one.words) out << "\n" << wrapped(paragraph);
    bool first = true;  // one size is enough to look at, unless something happened at another
    for (const auto& entry : run.header.plan) {
      if (entry.target != target_of(one).id()) continue;
      const Section section(run, entry, one);
      if (first || section.remarkable()) section.print(out);
      first = false;
    }
    out << wrapped(base::say("More: aisp bench run --targets ", one.target, " --summaries"));
  }
}

}  // namespace aisp::app
