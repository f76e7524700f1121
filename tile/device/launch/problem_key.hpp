// What a problem is found again by: the bits of all its fields. Floats count by their bits, so that
// 0 and -0 are two factors and NaN is equal to itself.
//
// A struct becomes part of a key by a function beside it that names all its fields; a field that is
// added to the struct and not to the function ends the compile:
//   inline void add_fields(ProblemKey& key, const Matrix& matrix) {
//     const auto& [data, stride] = matrix;
//     key.add(data, stride);
//   }
#pragma once

#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace aisp::tile::device {

class ProblemKey {
 public:
  using Word = std::uint64_t;

  ProblemKey() = default;
  template <class Problem>
  requires(std::is_class_v<Problem>) explicit ProblemKey(const Problem& problem) { add(problem); }

  template <class... Fields>
  void add(const Fields&... fields) {
    (add_one(fields), ...);
  }

  std::span<const Word> words() const {
    return more_.empty() ? std::span(first_.data(), count_) : std::span(more_);
  }

  // Every word changes it: keys that differ in one word alone differ in their hash.
  Word hash() const {
    Word hash = 0xcbf29ce484222325;
    for (const Word word : words()) hash = std::rotl((hash ^ word) * 0x9e3779b97f4a7c15, 29);
    return hash;
  }

  // The problem without its addresses: of each remains what a kernel may be chosen by, whether it
  // is null and how it is aligned. Long keys, of problems with many matrices, have no such part.
  bool has_shape() const { return more_.empty(); }
  ProblemKey shape() const { return ProblemKey(ShapeOf{*this}); }

  ProblemKey(const ProblemKey&) = delete;
  ProblemKey& operator=(const ProblemKey&) = delete;

 private:
  static constexpr std::size_t without_allocation = 96;

  struct ShapeOf {
    const ProblemKey& key;
  };
  explicit ProblemKey(ShapeOf problem) {
    constexpr Word widest = 256;
    for (std::size_t at = 0; at < problem.key.count_; ++at) {
      const Word word = problem.key.first_[at];
      const bool address = problem.key.addresses_[at] && word != 0;
      add_word(address ? widest + word % widest : word);
    }
  }

  void add_word(Word word) {
    if (more_.empty() && count_ < without_allocation) {
      first_[count_++] = word;
      return;
    }
    if (more_.empty()) more_.assign(first_.begin(), first_.end());
    more_.push_back(word);
  }

  template <class Field>
  void add_one(const Field& field) {
    if constexpr (std::is_pointer_v<Field>) {
      if (more_.empty() && count_ < without_allocation) addresses_.set(count_);
      add_word(reinterpret_cast<std::uintptr_t>(field));
    } else if constexpr (std::is_same_v<Field, float>) {
      add_word(std::bit_cast<std::uint32_t>(field));
    } else if constexpr (std::is_same_v<Field, double>) {
      add_word(std::bit_cast<Word>(field));
    } else if constexpr (std::is_integral_v<Field> || std::is_enum_v<Field>) {
      add_word(static_cast<Word>(field));
    } else {
      add_fields(*this, field);
    }
  }

  std::size_t count_ = 0;
  std::array<Word, without_allocation> first_;  // the first count_ of them
  std::bitset<without_allocation> addresses_;
  std::vector<Word> more_;  // all words, where they are more
};

template <class Element>
void add_fields(ProblemKey& key, const std::vector<Element>& elements) {
  key.add(elements.size());
  for (const Element& one : elements) key.add(one);
}
inline void add_fields(ProblemKey& key, const std::string& text) {
  key.add(text.size());
  for (const char letter : text) key.add(letter);
}

}  // namespace aisp::tile::device
