#include "jit/run/admission.hpp"

#include "base/refuse.hpp"
#include "jit/ir/array_ranges.hpp"
#include "jit/ir/extents.hpp"
#include "jit/ir/verify.hpp"

namespace aisp::jit {
namespace {

constexpr std::int64_t most_elements = 2'000'000'000;  // of an axis: kernels count in 32 bits

std::string numbers(const std::array<std::int64_t, most_axes>& all, int count) {
  std::string text = "(";
  for (int at = 0; at < count; ++at)
    text += base::say(at == 0 ? "" : ", ", all[static_cast<std::size_t>(at)]);
  return text + ")";
}

std::uint64_t hash_of(std::span<const Tensor> tensors) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const Tensor& tensor : tensors)
    for (const std::int64_t extent : tensor.extents) {
      hash = (hash ^ static_cast<std::uint64_t>(extent)) * 0xff51afd7ed558ccd;
      hash ^= hash >> 32;
    }
  return hash | 1;  // 0 is no call
}

}  // namespace

Admission::Admission(const Function& function, const Function& traced,
                     std::vector<BoundArray> arrays, std::set<std::pair<int, int>> in_place)
    : function_(function),
      traced_(traced),
      arrays_(std::move(arrays)),
      in_place_(std::move(in_place)),
      stored_(function.parameters.size()) {
  std::map<Id, std::size_t> views;
  for_each(function.body, [&](const Operation& one) {
    if (one.code == Opcode::view)
      views[one.results[0]] = static_cast<std::size_t>(one.attributes.integers[0]);
    if (one.code == Opcode::store) stored_[views[one.operands[1]]] = true;
  });
}

std::string Admission::name(std::size_t at) const {
  return base::say(function_.parameters[at].name, " (tensor ", at, ")");
}

void Admission::admit_one(std::size_t at, const Tensor& tensor) const {
  bool empty = false;
  for (int axis = 0; axis < tensor.rank; ++axis) {
    const std::int64_t extent = tensor.extents[static_cast<std::size_t>(axis)];
    empty = empty || extent == 0;
    if (extent > most_elements)
      base::refuse(base::Exit::usage, program_prefix(function_), "axis ", axis, " of ", name(at),
                   " has ", extent, " elements; a program counts to ", most_elements,
                   ": cut the tensor into several calls");
  }
  if (empty) return;
  if (tensor.data == nullptr)
    base::refuse(base::Exit::usage, program_prefix(function_), name(at),
                 " is a null pointer; give it device memory");
  const auto bytes = static_cast<std::uintptr_t>(bytes_of(tensor.element));
  if ((reinterpret_cast<std::uintptr_t>(tensor.data) & (bytes - 1)) != 0)  // a power of two
    base::refuse(base::Exit::usage, program_prefix(function_), name(at), " is ",
                 reinterpret_cast<std::uintptr_t>(tensor.data) % bytes,
                 " bytes past a multiple of ", bytes, ", the size of ", name_of(tensor.element),
                 "; align it");
  if (!is_output(at)) return;
  if (!tensor.writable)
    base::refuse(base::Exit::usage, program_prefix(function_), name(at),
                 " is written and its pointer is to const");
  if (stored_[at] && overlaps_itself(tensor))
    base::refuse(base::Exit::usage, program_prefix(function_), name(at),
                 " has several elements in one place: extents ",
                 numbers(tensor.extents, tensor.rank), ", strides ",
                 numbers(tensor.strides, tensor.rank), "; an output has a place for each");
}

void Admission::refuse_overlap(std::size_t output, const std::string& other,
                               const char* why) const {
  base::refuse(base::Exit::usage, program_prefix(function_), name(output), " overlaps ", other,
               ", ", why, "; give it memory of its own");
}

void Admission::admit_pair(std::span<const Tensor> tensors, std::size_t output,
                           std::size_t other) const {
  if (!overlap(tensors[output], tensors[other])) return;
  if (is_output(other)) refuse_overlap(output, name(other), "which is written too");
  if (!same_place(tensors[output], tensors[other]))
    refuse_overlap(output, name(other), "and is not the same tensor");
  if (!in_place_.contains({static_cast<int>(other), static_cast<int>(output)}))
    refuse_overlap(output, name(other),
                   "which is read at other places, or by other threads, than it is written");
}

void Admission::admit_apart(std::span<const Tensor> tensors) const {
  std::array<ByteRange, 16> ranges;
  for (std::size_t at = 0; at < tensors.size(); ++at) ranges[at] = bytes_of(tensors[at]);
  for (std::size_t output = 0; output < tensors.size(); ++output) {
    if (!is_output(output)) continue;
    for (std::size_t other = 0; other < tensors.size(); ++other) {
      if (other == output || (is_output(other) && other < output)) continue;
      if (meet(ranges[output], ranges[other])) admit_pair(tensors, output, other);
    }
    for (std::size_t at = 0; at < arrays_.size(); ++at) {
      const Parameter& array = function_.parameters[tensors.size() + at];
      const Tensor read(arrays_[at].data, array.element,
                        {static_cast<std::int64_t>(arrays_[at].count)});
      if (meet(ranges[output], bytes_of(read)) && overlap(tensors[output], read))
        refuse_overlap(output, "the array " + array.name, "which is read");
    }
  }
}

// An analysis of some microseconds, for extents that are new.
void Admission::admit_extents(std::span<const Tensor> tensors) const {
  const std::uint64_t hash = hash_of(tensors);
  auto& slot = admitted_[hash >> 61];
  if (slot.load(std::memory_order_relaxed) == hash) return;
  std::vector<std::vector<std::int64_t>> extents;
  for (const Tensor& one : tensors)
    extents.emplace_back(one.extents.begin(), one.extents.begin() + one.rank);
  for (std::size_t at = 0; at < arrays_.size(); ++at) {
    extents.push_back({static_cast<std::int64_t>(arrays_[at].count)});
    if (arrays_[at].data == nullptr && arrays_[at].count > 0)
      base::refuse(base::Exit::usage, program_prefix(function_), "the array ",
                   function_.parameters[tensors.size() + at].name,
                   " is a null pointer; give it device memory");
  }
  refuse_disagreeing_extents(traced_, extents);
  refuse_outside_arrays(function_, extents);
  slot.store(hash, std::memory_order_relaxed);
}

void Admission::admit(std::span<const Tensor> tensors) const {
  for (std::size_t at = 0; at < tensors.size(); ++at) admit_one(at, tensors[at]);
  admit_apart(tensors);
  admit_extents(tensors);
}

}  // namespace aisp::jit
