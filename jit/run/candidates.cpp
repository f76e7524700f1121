#include "jit/run/candidates.hpp"

#include <algorithm>

namespace aisp::jit {

namespace {

using Set = std::map<std::string, std::int64_t>;

struct Knob {
  std::string name;
  std::vector<std::int64_t> others;  // what is not the rule's
};

std::vector<std::int64_t> around(const std::string& name, std::int64_t rule) {
  if (name == "kept") return {1 - rule};
  if (name == "vector")
    return rule > 1 ? std::vector<std::int64_t>{rule / 2} : std::vector<std::int64_t>{};
  std::vector<std::int64_t> result{rule * 2};
  if (rule > 1) result.insert(result.begin(), rule / 2);
  if (rule > 3) result.push_back(rule / 4);
  return result;
}

std::vector<Knob> knobs(const std::vector<Choice>& of_lambda, const Plan& plan, const Set& fixed) {
  std::vector<Knob> result;
  for (const Choice& choice : of_lambda) {
    Knob knob{choice.name, choice.candidates};
    std::erase(knob.others, choice.chosen);
    if (!fixed.contains(choice.name)) result.push_back(std::move(knob));
  }
  for (const Decision& decision : plan.decisions)
    if (!fixed.contains(decision.name))
      result.push_back({decision.name, around(decision.name, decision.value)});
  return result;
}

// All sets that change `count` knobs from number `first` on.
void add(const std::vector<Knob>& all, std::size_t first, int count, const Set& set,
         std::vector<Set>& to) {
  if (count == 0) to.push_back(set);
  if (count == 0 || to.size() >= most_candidates) return;
  for (std::size_t at = first; at < all.size(); ++at)
    for (const std::int64_t value : all[at].others) {
      Set next = set;
      next[all[at].name] = value;
      add(all, at + 1, count - 1, next, to);
    }
}

}  // namespace

std::vector<Set> tuning_candidates(const std::vector<Choice>& of_lambda, const Plan& plan,
                                   const Set& fixed) {
  const std::vector<Knob> all = knobs(of_lambda, plan, fixed);
  std::vector<Set> result;
  for (int count = 0; count <= static_cast<int>(all.size()); ++count)
    add(all, 0, count, {}, result);
  if (result.size() > most_candidates) result.resize(most_candidates);
  return result;
}

}  // namespace aisp::jit
