// Changes of a container that leave its meaning as it is: what is in it must still run.
#pragma once

#include <string>

#include "tests/sim/fatbin/mutant.hpp"

namespace fatbin_fuzz {

// Makes one and says which.
std::string harmless_change(std::string& image, Random& random);

}  // namespace fatbin_fuzz
