#include "jit/run/guard.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::jit {
namespace {

// A word: element, rank, alignment, whether the last axis has gaps, then for each axis its class,
// whether it is the largest of its class, and of which accesses it is a multiple.
constexpr int rank_at = 4, alignment_at = 6, gaps_at = 7, classes_at = 16, class_bits = 8,
              fills_at = 40, steps_at = 44;
static_assert(classes_at + most_axes * class_bits <= fills_at && fills_at + most_axes <= steps_at &&
              steps_at + most_axes * step_facts <= 64);
constexpr std::uint64_t placed_bits = std::uint64_t{3} << alignment_at;

std::uint64_t field(std::uint64_t word, int at, int bits) {
  return word >> at & ((std::uint64_t{1} << bits) - 1);
}
std::uint64_t class_of(std::uint64_t word, int axis) {
  return field(word, classes_at + axis * class_bits, class_bits);
}

// width_class by number: twice the power of two, one less for one and a half times the one below.
std::uint64_t class_number(std::int64_t extent) {
  if (extent <= 1) return 0;
  const int power = std::bit_width(static_cast<std::uint64_t>(extent - 1));
  const bool between = power >= 9 && extent <= (std::int64_t{3} << (power - 2));
  return static_cast<std::uint64_t>(2 * power - (between ? 1 : 0));
}
std::int64_t largest_of(std::uint64_t number) {
  if (number % 2 == 0) return std::int64_t{1} << (number / 2);
  return std::int64_t{3} << ((number + 1) / 2 - 2);
}

// From 512 on there are two classes to a power of two.
std::uint64_t before(std::uint64_t number) { return number - (number > 16 ? 1 : 2); }

// Bit by bit what step_of names: a multiple of 4, of 8, of 16.
std::uint64_t steps_of(std::int64_t extent) {
  return (std::uint64_t{1} << std::clamp(std::countr_zero(static_cast<std::uint64_t>(extent)) - 1,
                                         0, step_facts)) -
         1;
}
static_assert(step_length(0) == 4 && step_length(step_facts - 1) == 16);

std::uint64_t word_of(Element element, std::span<const std::int64_t> extents, int aligned,
                      bool gaps) {
  std::uint64_t word = static_cast<std::uint64_t>(element) |
                       static_cast<std::uint64_t>(extents.size()) << rank_at |
                       static_cast<std::uint64_t>(aligned >= 16) << alignment_at |
                       static_cast<std::uint64_t>(gaps) << gaps_at;
  for (std::size_t at = 0; at < extents.size(); ++at) {
    const int axis = static_cast<int>(at);
    const std::int64_t extent = extents[at];
    const std::uint64_t number = class_number(extent);
    word |= number << (classes_at + axis * class_bits) |
            static_cast<std::uint64_t>(extent == largest_of(number)) << (fills_at + axis) |
            steps_of(extent) << (steps_at + axis * step_facts);
  }
  return word;
}

std::string_view element_name(std::uint64_t word) {
  return name_of(static_cast<Element>(field(word, 0, rank_at)));
}

// The axis as a user calls it: the last one are the rows' elements.
std::string extent_words(const std::string& name, int axis, int rank, const std::string& count) {
  return axis + 1 == rank ? base::say("rows of ", count)
                          : base::say("axis ", axis, " of ", name, " of ", count);
}

}  // namespace

CallFacts call_facts(std::span<const Tensor> tensors) {
  CallFacts facts;
  facts.count = static_cast<std::uint32_t>(tensors.size());
  for (std::size_t at = 0; at < tensors.size() && at < most_tensors; ++at)
    facts.words[at] =
        word_of(tensors[at].element,
                std::span(tensors[at].extents).first(static_cast<std::size_t>(tensors[at].rank)),
                alignment(tensors[at]), !contiguous(tensors[at]));
  return facts;
}

CallFacts call_facts(const Signature& signature) {
  CallFacts facts;
  facts.count = static_cast<std::uint32_t>(signature.tensors.size());
  for (std::size_t at = 0; at < signature.tensors.size() && at < most_tensors; ++at) {
    const TensorFacts& one = signature.tensors[at];
    facts.words[at] = word_of(one.element, one.extents, one.alignment, !one.contiguous);
  }
  return facts;
}

Guard::Guard(const CallFacts& facts, const std::vector<unsigned>& whole_axes,
             const std::vector<bool>& placed, const std::vector<RowEnd>& ends)
    : facts_(facts) {
  const auto class_mask = [](int axis) {
    return std::uint64_t{0xff} << (classes_at + axis * class_bits);
  };
  for (std::size_t at = 0; at < facts.count; ++at) {
    masks_[at] = (std::uint64_t{1} << alignment_at) - 1;
    if (placed[at]) masks_[at] |= placed_bits;
    for (int axis = 0; axis < most_axes; ++axis)
      if ((whole_axes[at] >> axis & 1) != 0) masks_[at] |= class_mask(axis);
  }
  for (const RowEnd& end : ends) {
    const auto at = static_cast<std::size_t>(end.tensor);
    // Where rows do not fill their tile, only those of a whole axis could.
    if (end.fills) masks_[at] |= class_mask(end.axis);
    if (end.fills || (whole_axes[at] >> end.axis & 1) != 0)
      masks_[at] |= std::uint64_t{1} << (fills_at + end.axis);
    if (end.step >= 0 && !end.fills)
      masks_[at] |= std::uint64_t{1} << (steps_at + end.axis * step_facts + end.step);
  }
  find_ranges();
}

void Guard::find_ranges() {
  for (std::size_t at = 0; at < facts_.count; ++at)
    for (int axis = 0; axis < most_axes; ++axis) {
      const std::uint64_t mask = masks_[at], word = facts_.words[at];
      Range range{static_cast<std::uint8_t>(at),
                  static_cast<std::uint8_t>(axis),
                  true,
                  0,
                  std::numeric_limits<std::int64_t>::max(),
                  0};
      const std::uint64_t steps = field(mask, steps_at + axis * step_facts, step_facts);
      if (steps != 0) {
        range.step_bits = step_length(std::countr_zero(steps)) - 1;
        range.steps = field(word & mask, steps_at + axis * step_facts, step_facts) != 0;
      }
      const std::uint64_t kept = class_of(word, axis);
      if (class_of(mask, axis) != 0) {
        range.least = kept == 0 ? 0 : largest_of(before(kept)) + 1;
        range.most = largest_of(kept);
        if (field(mask, fills_at + axis, 1) != 0)
          (field(word, fills_at + axis, 1) != 0 ? range.least : range.most) =
              range.most - (field(word, fills_at + axis, 1) != 0 ? 0 : 1);
      }
      if (steps != 0 || class_of(mask, axis) != 0) ranges_.push_back(range);
    }
}

bool Guard::takes(std::span<const Tensor> tensors, std::uint32_t architecture,
                  std::uint32_t choices) const {
  if (tensors.size() != facts_.count || architecture != facts_.architecture ||
      choices != facts_.choices)
    return false;
  std::uint64_t differs = 0;
  for (std::size_t at = 0; at < tensors.size(); ++at) {
    const Tensor& tensor = tensors[at];
    std::uint64_t word = static_cast<std::uint64_t>(tensor.element) |
                         static_cast<std::uint64_t>(tensor.rank) << rank_at;
    if ((masks_[at] & placed_bits) != 0)
      word |= static_cast<std::uint64_t>(alignment(tensor) >= 16) << alignment_at |
              static_cast<std::uint64_t>(!contiguous(tensor)) << gaps_at;
    differs |= (word ^ facts_.words[at]) & masks_[at] & (placed_bits | ((1u << alignment_at) - 1));
  }
  if (differs != 0) return false;
  for (const Range& range : ranges_) {
    const std::int64_t extent = tensors[range.tensor].extents[range.axis];
    if (extent < range.least || extent > range.most ||
        ((extent & range.step_bits) == 0) != range.steps)
      return false;
  }
  return true;
}

std::vector<std::string> Guard::changed(const CallFacts& call, std::span<const Tensor> tensors,
                                        std::span<const std::string> names) const {
  std::vector<std::string> phrases;
  if (call.architecture != facts_.architecture)
    phrases.push_back(
        base::say("for compute capability ", call.architecture, ", was ", facts_.architecture));
  const auto add = [&](std::string phrase) {  // x and y of one program have the same rows
    for (const std::string& one : phrases)
      if (one == phrase) return;
    phrases.push_back(std::move(phrase));
  };
  for (std::size_t at = 0; at < facts_.count && at < call.count; ++at) {
    const std::uint64_t now = call.words[at], was = facts_.words[at];
    const std::uint64_t differs = (now ^ was) & masks_[at];
    if (field(differs, 0, rank_at) != 0)
      add(base::say(names[at], " is ", element_name(now), ", was ", element_name(was)));
    if (field(differs, rank_at, 2) != 0)
      add(base::say(names[at], " has ", field(now, rank_at, 2), " axes, had ",
                    field(was, rank_at, 2)));
    for (int axis = 0; axis < most_axes; ++axis) {
      const std::int64_t extent = tensors[at].extents[static_cast<std::size_t>(axis)];
      const std::uint64_t kept = class_of(was, axis);
      const std::int64_t most = largest_of(kept);
      const std::uint64_t steps = field(differs, steps_at + axis * step_facts, step_facts);
      std::string limit;
      if (class_of(differs, axis) != 0)
        limit = extent > most ? base::say("was <= ", most)
                              : base::say("was > ", largest_of(before(kept)));
      else if (field(differs, fills_at + axis, 1) != 0)
        limit = base::say(extent == most ? "was < " : "was ", most);
      else if (steps != 0)
        limit = base::say(extent % step_length(std::countr_zero(steps)) == 0 ? "was no" : "was a",
                          " multiple of ", step_length(std::countr_zero(steps)));
      if (limit.empty()) continue;
      add(base::say(extent_words(names[at], axis, tensors[at].rank, base::say(extent, " elements")),
                    ", ", limit));
    }
    if (field(differs, alignment_at, 1) != 0)
      add(field(now, alignment_at, 1) != 0
              ? base::say(names[at], " is aligned to 16 bytes, was not")
              : base::say(names[at], " is not aligned to 16 bytes, was"));
    if (field(differs, gaps_at, 1) != 0)
      add(field(now, gaps_at, 1) != 0
              ? base::say(names[at], " has gaps along its last axis, had none")
              : base::say(names[at], " has no gaps along its last axis, had some"));
  }
  return phrases;
}

std::string Guard::text(std::span<const std::string> names) const {
  std::vector<std::string> tensors;
  for (std::size_t at = 0; at < facts_.count; ++at) {
    const std::uint64_t word = facts_.words[at] & masks_[at];
    std::string one = base::say(names[at], " ", element_name(word));
    const int rank = static_cast<int>(field(word, rank_at, 2));
    for (int axis = 0; axis < rank; ++axis)
      if ((masks_[at] >> (classes_at + axis * class_bits) & 1) != 0)
        one += base::say(", ", axis + 1 == rank ? "rows" : base::say("axis ", axis),
                         field(word, fills_at + axis, 1) != 0 ? " of " : " <= ",
                         largest_of(class_of(word, axis)));
    if ((masks_[at] & placed_bits) != 0) {
      if (field(word, alignment_at, 1) == 0) one += ", not aligned";
      if (field(word, gaps_at, 1) != 0) one += ", gaps";
    }
    tensors.push_back(one);
  }
  return base::join(tensors, "; ");
}

}  // namespace aisp::jit
