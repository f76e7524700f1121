// A contraction folded into a product: its modes sorted into rows, columns, sum and batch, and
// merged where they lie one in another in every tensor that has them. What is left is a product
// whose rows, columns and sum are hierarchical modes: no element moves. A pure function of the
// problem; what cannot be folded is refused with the modes and numbers.
#pragma once

#include <array>

#include "tile/device/contract/problem.hpp"
#include "tile/layout/modes.hpp"
#include "tile/layout/text.hpp"

namespace aisp::tile::device {

enum Operand { operand_a, operand_b, operand_d };

struct FoldedMode {
  std::string name{};  // the letters that were merged, the fastest last; none: an extent of 1
  std::int64_t extent = 1;
  std::array<std::int64_t, 3> stride{};  // in A, B and D; 0 where the tensor lacks the mode

  bool operator==(const FoldedMode&) const = default;
};
using FoldedModes = std::vector<FoldedMode>;

// Modes that vary fastest come first: the contiguous one of an operand, where there is one. Rows,
// columns and the sum have at least one mode. Extents of 1 are left out.
struct Folding {
  FoldedModes rows{}, columns{}, sum{}, batch{};
  Major a_major = Major::k, b_major = Major::k;
  // D is contiguous along one of A's modes: A and B have changed places, in the strides too, so
  // that a contiguous mode of D is one of the columns.
  bool swapped = false;
};

namespace detail {

template <class... Why>
[[noreturn]] void refuse_contraction(const Why&... why) {
  base::refuse(base::Exit::usage, "contract: ", why...);
}

constexpr std::int64_t most_elements = std::int64_t{1} << 30;  // of a mode, and of a side's tiles

inline void admit_tensor(const char* name, const ContractionTensor& tensor) {
  const std::size_t count = tensor.modes.size();
  if (tensor.extents.size() != count || (!tensor.strides.empty() && tensor.strides.size() != count))
    refuse_contraction(name, " has the modes '", tensor.modes, "' and ", tensor.extents.size(),
                       " extents, ", tensor.strides.size(), " strides: give one for each mode");
  for (std::size_t i = 0; i < count; ++i) {
    const char mode = tensor.modes[i];
    if (!((mode >= 'a' && mode <= 'z') || (mode >= 'A' && mode <= 'Z')))
      refuse_contraction(name, " has a mode '", mode, "': modes are letters");
    if (tensor.modes.find(mode, i + 1) != std::string::npos)
      refuse_contraction(name, " has mode '", mode,
                         "' twice: a diagonal is one mode with the sum of both strides");
    if (tensor.extents[i] < 0 || tensor.extents[i] > most_elements)
      refuse_contraction("extents are 0 to ", most_elements, ": mode '", mode, "' of ", name,
                         " has ", tensor.extents[i]);
    if (tensor.strides.empty() || tensor.extents[i] <= 1) continue;
    if (tensor.strides[i] < 1)
      refuse_contraction("mode '", mode, "' of ", name, " has a stride of ", tensor.strides[i],
                         "; strides are at least 1, and a mode that repeats the tensor is left out "
                         "of it");
  }
}

// All modes of more than one element, with their strides.
inline FoldedModes modes_of(const ContractionProblem& problem) {
  FoldedModes all;
  const std::array<const ContractionTensor*, 3> tensors{&problem.a, &problem.b, &problem.d};
  constexpr const char* names[] = {"A", "B", "D"};
  std::map<char, std::pair<std::int64_t, int>> seen;  // extent, and in which tensor
  for (int t = 0; t < 3; ++t) {
    admit_tensor(names[t], *tensors[t]);
    const auto& tensor = *tensors[t];
    const auto strides = tensor.strides.empty() ? dense_strides(tensor.extents) : tensor.strides;
    for (std::size_t i = 0; i < tensor.modes.size(); ++i) {
      const char mode = tensor.modes[i];
      const auto [at, fresh] = seen.try_emplace(mode, tensor.extents[i], t);
      if (at->second.first != tensor.extents[i])
        refuse_contraction("mode '", mode, "' has ", at->second.first, " elements in ",
                           names[at->second.second], " and ", tensor.extents[i], " in ", names[t]);
      if (fresh) all.push_back({.name = {mode}, .extent = tensor.extents[i]});
      for (FoldedMode& one : all)
        if (one.name[0] == mode) one.stride[t] = strides[i];
    }
  }
  for (const FoldedMode& mode : all) {
    int holders = 0, last = 0;
    for (int t = 0; t < 3; ++t)
      if (mode.stride[t] != 0) ++holders, last = t;
    if (mode.extent == 1) continue;
    if (holders == 1 && last == operand_d)
      refuse_contraction("mode '", mode.name, "' is in D alone: nothing says its values; write D ",
                         "without it and repeat that");
    if (holders == 1)
      refuse_contraction("mode '", mode.name, "' is in ", names[last],
                         " alone: sum the tensor over it first, or give it to D as well");
  }
  std::erase_if(all, [](const FoldedMode& mode) { return mode.extent == 1; });
  return all;
}

// Whether `outer` goes on where `inner` ends, in every tensor that has them.
inline bool continues(const FoldedMode& inner, const FoldedMode& outer) {
  for (int t = 0; t < 3; ++t)
    if (outer.stride[t] != inner.stride[t] * inner.extent) return false;
  return inner.extent * outer.extent <= most_elements;
}

inline FoldedModes merged(FoldedModes modes) {
  for (std::size_t i = 0; i < modes.size();) {
    const auto outer = std::find_if(modes.begin(), modes.end(), [&](const FoldedMode& mode) {
      return &mode != &modes[i] && continues(modes[i], mode);
    });
    if (outer == modes.end()) {
      ++i;
      continue;
    }
    modes[i].name = outer->name + modes[i].name;
    modes[i].extent *= outer->extent;
    modes.erase(outer);
    i = 0;
  }
  return modes;
}

inline const FoldedMode* contiguous_of(const FoldedModes& modes, Operand tensor) {
  for (const FoldedMode& mode : modes)
    if (mode.stride[tensor] == 1) return &mode;
  return nullptr;
}

// The contiguous mode of `tensor` first, then by its strides.
inline void sort_by(FoldedModes& modes, Operand tensor) {
  std::stable_sort(modes.begin(), modes.end(), [=](const FoldedMode& x, const FoldedMode& y) {
    return x.stride[tensor] < y.stride[tensor];
  });
}

inline std::string listed(const FoldedModes& modes) {
  std::string text;
  for (const FoldedMode& mode : modes)
    text += base::say(text.empty() ? "" : ", ", "'", mode.name, "'");
  return text;
}

// Two elements of D at one place would be a race. Enough: each mode steps over all smaller ones.
inline void refuse_overlaps(FoldedModes modes) {
  std::erase_if(modes, [](const FoldedMode& mode) { return mode.stride[operand_d] == 0; });
  sort_by(modes, operand_d);
  std::int64_t reach = 0;
  for (const FoldedMode& mode : modes) {
    if (mode.stride[operand_d] <= reach)
      refuse_contraction("mode '", mode.name, "' of D has a stride of ", mode.stride[operand_d],
                         ", and the modes inside it reach over ", reach + 1,
                         " elements: elements of D would lie on one another");
    reach += mode.stride[operand_d] * (mode.extent - 1);
  }
}

// TMA reads A and B: one contiguous mode, the others at multiples of 16 bytes.
inline void admit_strides(const char* name, const FoldedModes& rows, const FoldedModes& sum,
                          const FoldedModes& batch, Operand tensor) {
  const bool contiguous = contiguous_of(rows, tensor) || contiguous_of(sum, tensor);
  if (const FoldedMode* mode = contiguous_of(batch, tensor); mode && !contiguous)
    refuse_contraction("mode '", mode->name, "' is contiguous in ", name,
                       " and a batch: a product wants elements of its rows or of its sum together; "
                       "permute ",
                       name, " so that another mode is the contiguous one");
  FoldedModes all = rows;
  all.insert(all.end(), sum.begin(), sum.end());
  all.insert(all.end(), batch.begin(), batch.end());
  if (!contiguous && !all.empty())
    refuse_contraction(name, " has no contiguous mode among ", listed(all),
                       ": TMA wants one with a stride of 1");
  bool seen = false;
  for (const FoldedMode& mode : all) {
    if (mode.stride[tensor] == 1 && !seen) {
      seen = true;
      continue;
    }
    if (mode.stride[tensor] % 8 != 0)
      refuse_contraction("mode '", mode.name, "' of ", name, " has a stride of ",
                         mode.stride[tensor], " elements, ", 2 * mode.stride[tensor],
                         " bytes, and TMA steps over multiples of 16: pad it to ",
                         (mode.stride[tensor] + 7) / 8 * 8);
    if (mode.stride[tensor] >= std::int64_t{1} << 39)
      refuse_contraction("mode '", mode.name, "' of ", name, " has a stride of ",
                         mode.stride[tensor], " elements, TMA steps over fewer than 2^39");
  }
}

}  // namespace detail

// Does not look at the tensors' data.
inline Folding fold(const ContractionProblem& problem) {
  using namespace detail;
  FoldedModes all = modes_of(problem);
  refuse_overlaps(all);
  for (const FoldedMode& mode : all)
    if (mode.extent == 0)
      refuse_contraction("mode '", mode.name, "' has no elements, there is no product to fold");
  Folding folding;
  const auto in = [](const FoldedMode& mode, Operand t) { return mode.stride[t] != 0; };
  // D contiguous along a mode of A alone.
  for (const FoldedMode& mode : all)
    folding.swapped |= mode.stride[operand_d] == 1 && !in(mode, operand_b);
  if (folding.swapped)
    for (FoldedMode& mode : all) std::swap(mode.stride[operand_a], mode.stride[operand_b]);
  for (const FoldedMode& mode : all) {
    const bool a = in(mode, operand_a), b = in(mode, operand_b), d = in(mode, operand_d);
    (a && b && d ? folding.batch
     : a && b    ? folding.sum
     : a         ? folding.rows
                 : folding.columns)
        .push_back(mode);
  }
  for (FoldedModes* side : {&folding.rows, &folding.columns, &folding.sum, &folding.batch})
    *side = merged(*side);
  const char *a_name = folding.swapped ? "B" : "A", *b_name = folding.swapped ? "A" : "B";
  admit_strides(a_name, folding.rows, folding.sum, folding.batch, operand_a);
  admit_strides(b_name, folding.columns, folding.sum, folding.batch, operand_b);
  if (contiguous_of(folding.rows, operand_a)) folding.a_major = Major::mn;
  if (contiguous_of(folding.columns, operand_b)) folding.b_major = Major::mn;
  const FoldedMode* a_sum =
      folding.a_major == Major::k ? contiguous_of(folding.sum, operand_a) : nullptr;
  const FoldedMode* b_sum =
      folding.b_major == Major::k ? contiguous_of(folding.sum, operand_b) : nullptr;
  if (a_sum && b_sum && !(*a_sum == *b_sum))
    refuse_contraction("the sum runs over '", a_sum->name, "', contiguous in ", a_name, ", and '",
                       b_sum->name, "', contiguous in ", b_name,
                       ": a block of the sum has one order; permute ", a_name, " or ", b_name);
  sort_by(folding.rows, operand_a);
  sort_by(folding.columns, folding.b_major == Major::mn ? operand_b : operand_d);
  sort_by(folding.sum, b_sum ? operand_b : operand_a);
  sort_by(folding.batch, operand_a);
  for (FoldedModes* side : {&folding.rows, &folding.columns, &folding.sum})
    if (side->empty()) side->emplace_back();
  return folding;
}

// A tensor of the product as a layout: ((rows), (sum), (batch)) of A, ((columns), (sum), (batch))
// of B, ((rows), (columns), (batch)) of D. Of tensors whose offsets fit an int.
inline Layout layout_of(const Folding& folding, Operand tensor) {
  const auto side = [&](const FoldedModes& modes) {
    Layout made = no_modes();
    for (const FoldedMode& mode : modes)
      made.push(fitting(mode.extent), fitting(mode.stride[tensor]));
    return closed(made, made.shape.count);
  };
  return join(side(tensor == operand_b ? folding.columns : folding.rows),
              side(tensor == operand_d ? folding.columns : folding.sum), side(folding.batch));
}

}  // namespace aisp::tile::device
