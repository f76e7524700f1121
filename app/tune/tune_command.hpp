// `aisp tune gemm`: measures every way the library has to compute a product and keeps the fastest.
#pragma once

#include <string>
#include <vector>

#include "app/tune/tuner.hpp"

namespace aisp::app {

// `words` are those after `aisp tune gemm`. Returns an exit code; refusals are base::Refusal.
int tune_gemm_command(const std::vector<std::string>& words, Tuner& tuner);

}  // namespace aisp::app
