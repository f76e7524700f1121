#include "lab/judge/inputs.hpp"

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "base/parallel.hpp"
#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

struct Changes {
  std::int64_t count = 0, first = std::numeric_limits<std::int64_t>::max();
};

Changes find_changes(const HostTensor& before, std::span<const std::byte> after) {
  if (after.size() != before.data.size())
    throw std::logic_error(
        base::say(before.what.name, " had ", before.data.size(), " bytes and has ", after.size()));
  const std::int64_t bytes = bytes_of(before.what.dtype);
  Changes changes;
  std::mutex guard;
  base::parallel_ranges(before.what.count(), [&](std::int64_t first, std::int64_t last) {
    if (first == last) return;
    const std::byte *was = before.data.data(), *is = after.data();
    const auto length = [&](std::int64_t elements) {
      return static_cast<std::size_t>(elements * bytes);
    };
    if (std::memcmp(was + first * bytes, is + first * bytes, length(last - first)) == 0) return;
    Changes here;
    for (std::int64_t i = last; i-- > first;)
      if (std::memcmp(was + i * bytes, is + i * bytes, length(1)) != 0) here = {here.count + 1, i};
    const std::lock_guard lock(guard);
    changes.count += here.count;
    changes.first = std::min(changes.first, here.first);
  });
  return changes;
}

}  // namespace

std::optional<std::string> changed_input(const HostTensor& before,
                                         std::span<const std::byte> after) {
  const Tensor& what = before.what;
  const Changes changes = find_changes(before, after);
  if (changes.count == 0) return std::nullopt;
  return base::say("input ", what.name, " was changed: ", changes.count, " of ", what.count(),
                   ", first at ", coordinate(what.shape, changes.first), ": was ",
                   before[changes.first], ", is ",
                   read_element(what.dtype, after.data(), changes.first));
}

std::optional<std::string> other_than_baseline(const HostTensor& baseline,
                                               std::span<const std::byte> got) {
  const Tensor& what = baseline.what;
  const Changes changes = find_changes(baseline, got);
  if (changes.count == 0) return std::nullopt;
  return base::say(std::setprecision(9), what.name,
                   " has other bytes than the baseline's: ", changes.count, " of ", what.count(),
                   ", first at ", coordinate(what.shape, changes.first), ": got ",
                   read_element(what.dtype, got.data(), changes.first), ", the baseline ",
                   baseline[changes.first]);
}

}  // namespace aisp::lab
