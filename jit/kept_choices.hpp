// What tuning has kept for a variant, found by the text that the rule gives it.
#pragma once

#include <filesystem>
#include <string>

#include "jit/program_options.hpp"
#include "jit/variant.hpp"

namespace aisp::jit {

std::string tuned_key(const std::string& architecture, const Variant& rule);

// {} where the rule was as good, or nothing was tuned. Refuses a file that is none of tuning's.
Choices kept_choices(const std::filesystem::path& file, const std::string& architecture,
                     const Variant& rule);

std::string text_of(const Choices& choices);  // "threads_per_row=128 vector=4", or "rule"

}  // namespace aisp::jit
