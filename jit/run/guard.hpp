// What a compiled variant is valid for, as a few words that a call compares: types, ranks,
// alignments, classes of width. Extents and addresses are none of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "jit/pass/facts.hpp"
#include "jit/run/tensor.hpp"

namespace aisp::jit {

inline constexpr std::size_t most_tensors = 16;

// The facts of a call: one word for each tensor, and what else a variant was made for.
struct CallFacts {
  std::array<std::uint64_t, most_tensors> words;  // the first `count` of them
  std::uint32_t count = 0;
  std::uint32_t architecture = 0;  // 90: see device_number
  std::uint32_t choices = 0;       // which set of choices, by the number that its program gave it
};

// Refuses nothing: what does not fit is another variant's, and tracing says what is wrong.
CallFacts call_facts(std::span<const Tensor> tensors);
CallFacts call_facts(const Signature& signature);

// Of all facts those that the variant depends on.
class Guard {
 public:
  Guard(const CallFacts& facts, const std::vector<unsigned>& whole_axes,
        const std::vector<bool>& placed, const std::vector<RowEnd>& ends);

  bool admits(const CallFacts& call) const {
    std::uint64_t differs = (facts_.count ^ call.count) |
                            (facts_.architecture ^ call.architecture) |
                            (facts_.choices ^ call.choices);
    for (std::uint32_t at = 0; at < facts_.count; ++at)
      differs |= (facts_.words[at] ^ call.words[at]) & masks_[at];
    return differs == 0;
  }
  // The same without the call's facts: ranges of extents instead of their classes. What a warm call
  // asks; `architecture` and `choices` as in CallFacts.
  bool takes(std::span<const Tensor> tensors, std::uint32_t architecture,
             std::uint32_t choices) const;
  std::uint32_t choices() const { return facts_.choices; }
  bool is_for(std::uint32_t architecture, std::uint32_t choices) const {
    return facts_.architecture == architecture && facts_.choices == choices;
  }

  // What of a call is other than here, one phrase each: "rows of 4100 elements, was <= 4096".
  // `names` are those of the parameters.
  std::vector<std::string> changed(const CallFacts& call, std::span<const Tensor> tensors,
                                   std::span<const std::string> names) const;
  // What this one is for, in a line: "x bf16, rows <= 4096; y bf16".
  std::string text(std::span<const std::string> names) const;

 private:
  // Of one axis: its extents, both included, and which of its last bits are to be 0, or not.
  struct Range {
    std::uint8_t tensor, axis;
    bool steps;
    std::int64_t least, most, step_bits;
  };
  void find_ranges();

  CallFacts facts_;
  std::array<std::uint64_t, most_tensors> masks_{};
  std::vector<Range> ranges_;
};

}  // namespace aisp::jit
