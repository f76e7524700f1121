#include "comm/peer_access.hpp"

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

}  // namespace aisp::comm
