// What tuning may try for a variant.
#pragma once

#include <map>

#include "jit/pass/plan.hpp"
#include "jit/trace/tracer.hpp"

namespace aisp::jit {

// Sets of choices beside the rule's, which is the first and sets nothing: those of the lambda and
// those of its schedule, the ones nearest to the rule first. What `fixed` sets stays. Some may be
// refused when they are tried.
std::vector<std::map<std::string, std::int64_t>> tuning_candidates(
    const std::vector<Choice>& of_lambda, const Plan& plan,
    const std::map<std::string, std::int64_t>& fixed);

inline constexpr std::size_t most_candidates = 64;

}  // namespace aisp::jit
