// Memory of other devices, from inside a kernel.
#pragma once

#include <string>
#include <vector>

namespace aisp::comm {

// True where device `from` can reach memory of `to` without a stop on the host; lets it.
bool enable_peer_access(int from, int to);

// For a reader, with the device of each rank: "4 ranks on 2 devices".
std::string ranks_on_devices(const std::vector<int>& devices);

}  // namespace aisp::comm
