// What the rungs of distributed_streams share: they differ in one function, their schedule.
#pragma once

#include "lab/case/rung.hpp"

namespace aisp::ch11 {

inline constexpr const char* after_backward_name = "sum_after_backward";
inline constexpr const char* during_backward_name = "sum_during_backward";

// Prepares the rung of that name with the backend that the problem's variant asks for.
lab::Run prepare_training(lab::Setup& setup, const char* rung_name);

}  // namespace aisp::ch11
