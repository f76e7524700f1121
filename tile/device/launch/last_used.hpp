// Values by the problem that they were made for: those used last stay, as many of each kind as
// AISP_PLANS says. One limit serves the C++ calls, the C interface and what is compiled at run
// time.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <list>
#include <unordered_map>
#include <utility>

#include "base/home.hpp"
#include "base/refuse.hpp"
#include "tile/device/launch/problem_key.hpp"

namespace aisp::tile::device {

inline constexpr std::size_t usual_plans = 1024;

// How many are kept of each kind; read once.
inline std::size_t kept_plans() {
  static const std::size_t kept = [] {
    const char* const text = base::environment("AISP_PLANS");
    if (text == nullptr) return usual_plans;
    char* end = nullptr;
    const long long number = std::strtoll(text, &end, 10);
    if (*end != '\0' || number < 1 || number > (1 << 20))
      base::refuse(base::Exit::usage, "AISP_PLANS is '", text,
                   "'; it is the number of plans that are kept of each kind, from 1 to 1048576");
    return static_cast<std::size_t>(number);
  }();
  return kept;
}

// Not safe for several threads.
template <class Value>
class LastUsed {
  struct Entry {
    ProblemKey::Word hash;
    std::vector<ProblemKey::Word> words;
    Value value;
  };

 public:
  using Evicted = std::list<Entry>;  // to be destroyed where there is no lock

  // The one for which is_it(value) holds, of those with this key; null where there is none.
  template <class IsIt>
  Value* find(const ProblemKey& key, const IsIt& is_it) {
    const auto [first, last] = places_.equal_range(key.hash());
    for (auto at = first; at != last; ++at) {
      const auto entry = at->second;
      if (!std::ranges::equal(entry->words, key.words()) || !is_it(std::as_const(entry->value)))
        continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return &entry->value;
    }
    return nullptr;
  }

  // Returns what there is no room for any more.
  [[nodiscard]] Evicted add(const ProblemKey& key, Value value) {
    const std::size_t most = kept_plans();
    const auto words = key.words();
    entries_.push_front({key.hash(), {words.begin(), words.end()}, std::move(value)});
    places_.emplace(entries_.front().hash, entries_.begin());
    Evicted evicted;
    if (entries_.size() <= most) return evicted;
    const Place last = std::prev(entries_.end());
    const auto [first, end] = places_.equal_range(last->hash);
    places_.erase(std::find_if(first, end, [&](const auto& one) { return one.second == last; }));
    evicted.splice(evicted.begin(), entries_, last);
    return evicted;
  }

  std::size_t size() const { return entries_.size(); }

 private:
  using Place = typename std::list<Entry>::iterator;

  std::list<Entry> entries_;  // the last used first
  std::unordered_multimap<ProblemKey::Word, Place> places_;
};

}  // namespace aisp::tile::device
