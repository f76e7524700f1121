#include "comm/peer_access.hpp"

#include <set>

#include "comm/cuda.hpp"

namespace aisp::comm {

bool enable_peer_access(int from, int to) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, from, to), "cudaDeviceCanAccessPeer");
  if (can == 0) return false;
  const OnDevice on(from);
  const auto error = cudaDeviceEnablePeerAccess(to, 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();
  else
    check(error, "cudaDeviceEnablePeerAccess");
  return true;
}

std::string ranks_on_devices(const std::vector<int>& devices) {
  const auto different = std::set(devices.begin(), devices.end()).size();
  return base::say(devices.size(), devices.size() == 1 ? " rank on " : " ranks on ", different,
                   different == 1 ? " device" : " devices");
}

}  // namespace aisp::comm
