#include "tests/sim/support/experiment.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "tests/sim/support/values.hpp"

namespace aisp::experiments {

std::vector<std::filesystem::path> files_under(const std::filesystem::path& folder,
                                               const std::string& extension) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> judge(const Experiment& experiment, const std::vector<std::byte>& out,
                               const std::vector<std::byte>* other, std::size_t most) {
  std::vector<std::string> complaints;
  for (std::size_t i = 0; i < experiment.out.size(); ++i) {
    const Cell& cell = experiment.out[i];
    if (other == nullptr && !cell.known) continue;
    const Value got = load(out, cell.offset, cell.type);
    const Value want = other != nullptr ? load(*other, cell.offset, cell.type) : cell.expected;
    const auto apart = distance(cell.type, got, want);
    // Where values may differ at all, one NaN is as good as another.
    const bool same_nan = cell.ulp > 0 && is_nan(cell.type, got) && is_nan(cell.type, want);
    if (same_nan || (apart && *apart <= static_cast<std::uint64_t>(cell.ulp))) continue;
    if (complaints.size() == most) {
      complaints.push_back("...");
      break;
    }
    complaints.push_back(base::say(experiment.name, ": value ", i, ": got ", show(cell.type, got),
                                   ", want ", show(cell.type, want)));
  }
  return complaints;
}

}  // namespace aisp::experiments
