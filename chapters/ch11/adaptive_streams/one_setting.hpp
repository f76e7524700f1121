// The load with one setting from beginning to end.
#pragma once

#include "chapters/ch11/adaptive_streams/controller.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch11 {

lab::Run run_one_setting(lab::Setup& setup, const Setting& setting);

}  // namespace aisp::ch11
