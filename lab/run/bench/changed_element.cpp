#include "lab/run/bench/changed_element.hpp"

#include <algorithm>
#include <cmath>

#include "lab/case/element.hpp"
#include "lab/case/random.hpp"

namespace aisp::lab {
namespace {

constexpr int draws = 16;
constexpr std::uint32_t stream = 0x0e1e;  // inputs use the streams 0, 1, …

// The random number `index` of this change.
std::uint32_t bits(std::uint64_t seed, int index) {
  return philox(seed, stream, static_cast<std::uint64_t>(index))[0];
}

// Equal bytes where every draw has the value that is there.
ChangedElement change(HostTensor& tensor, int input, std::int64_t element, std::uint64_t seed) {
  const auto bytes = static_cast<std::size_t>(bytes_of(tensor.what.dtype));
  std::byte* const place = tensor.data.data() + static_cast<std::size_t>(element) * bytes;
  ChangedElement changed{input, element, {place, place + bytes}, {place, place + bytes}};
  const double old = tensor[element];
  double farthest = 0;
  const double low = tensor.what.values.low, width = tensor.what.values.high - low;
  for (int draw = 0; draw < draws; ++draw) {
    const double value = low + width * unit_interval(bits(seed, 3 + draw));
    with_element(tensor.what.dtype, [&]<class Element>() {
      store_element<Element>(tensor.data.data(), element, value);
    });
    const double distance = std::fabs(tensor[element] - old);
    if (distance <= farthest) continue;
    farthest = distance;
    changed.after.assign(place, place + bytes);
  }
  std::copy(changed.after.begin(), changed.after.end(), place);
  return changed;
}

}  // namespace

std::optional<ChangedElement> change_one_element(Inputs& inputs, std::uint64_t seed) {
  const auto count = static_cast<std::uint32_t>(inputs.size());
  for (std::uint32_t tried = 0; tried < count; ++tried) {
    const std::uint32_t input = (bits(seed, 0) % count + tried) % count;
    HostTensor& tensor = inputs[input];
    if (tensor.what.count() == 0) continue;
    const std::uint64_t drawn = std::uint64_t{bits(seed, 1)} << 32 | bits(seed, 2);
    const auto element =
        static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(tensor.what.count()));
    ChangedElement changed = change(tensor, static_cast<int>(input), element, seed);
    if (changed.after != changed.before) return changed;
  }
  return std::nullopt;
}

}  // namespace aisp::lab
