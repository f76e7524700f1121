// The kernel of rung 7 for rung 8, which launches it another way: it is compiled once.
#pragma once

#include "lab/case/rung.hpp"

namespace aisp::ch10 {

// As many blocks as fit the device at once, each of which takes tiles until there are none left.
lab::Run run_ping_pong_persistent(lab::Setup& setup);

}  // namespace aisp::ch10
