// Which aisp this is; filled in by the build.
#pragma once

#include <string>

namespace aisp::lab {

extern const std::string version;  // "0.2.0"
extern const std::string commit;   // "1a2b3c4d5e6f", "+" behind it when the tree had changes

}  // namespace aisp::lab
